(** From strategies to reward streams: inverse distribution functions and common uniforms.

    Two strategies of an agent meet the same uniform number at its k-th play, put into the inverse
    distribution function of whatever arm is played. *)
Require Import List Arith Lia Bool Reals Lra.
Require Import Copyproof.Game Copyproof.Revenue Copyproof.Pathwise.
Import ListNotations.
Local Open Scope R_scope.

(** ** Inverse distribution functions *)

(** [Q] is the inverse of the distribution function [F]: [Q u] is the least value of which [F] is at
    least [u]. *)
Definition is_inverse (Q F : R -> R) : Prop := forall u v, 0 < u < 1 -> (Q u <= v <-> u <= F v).

(** First-order dominance: large rewards are at least as likely. *)
Definition dominates (F G : R -> R) : Prop := forall v, F v <= G v.

(** Dominance is order of the inverse distribution functions, at every uniform number. *)
Theorem dominance_couples Q F Q' F' : is_inverse Q F -> is_inverse Q' F' -> dominates F F' ->
  forall u, 0 < u < 1 -> Q' u <= Q u.
Proof.
  intros H H' D u Hu. apply (H' u (Q u) Hu). apply Rle_trans with (F (Q u)); [|apply D].
  apply (H u (Q u) Hu). lra.
Qed.

(** A distribution function: never decreasing, continuous from the right, from 0 to 1. *)
Record is_distribution (F : R -> R) : Prop := {
  grows : forall v w, v <= w -> F v <= F w;
  right_continuous : forall v e, 0 < e -> exists w, v < w /\ F w < F v + e;
  low_tail : forall e, 0 < e -> exists v, F v < e;
  high_tail : forall e, 0 < e -> exists v, 1 - e < F v }.

(** Every distribution function has an inverse, so that the coupling always exists. *)
Theorem inverse_exists F : is_distribution F -> exists Q, is_inverse Q F.
Proof.
  intros [Up Right Low High].
  assert (Least : forall u, 0 < u < 1 -> { q : R | forall v, q <= v <-> u <= F v }).
  { intros u Hu.
    assert (B : bound (fun m => u <= F (- m))).
    { destruct (Low u ltac:(lra)) as [v Hv]. exists (- v). intros m Hm.
      destruct (Rle_dec m (- v)); [assumption|]. specialize (Up (- m) v ltac:(lra)). lra. }
    assert (N : exists m, u <= F (- m)).
    { destruct (High (1 - u) ltac:(lra)) as [v Hv]. exists (- v). rewrite Ropp_involutive. lra. }
    destruct (completeness _ B N) as [m [Above Least]]. exists (- m). intros v. split.
    - intros Hv. destruct (Rle_dec u (F v)) as [|C]; [assumption|exfalso].
      apply Rnot_le_lt in C. destruct (Right v (u - F v) ltac:(lra)) as [w [W1 W2]].
      assert (m <= - w); [|lra]. apply Least. intros k Hk. destruct (Rle_dec k (- w)); [assumption|].
      specialize (Up (- k) w ltac:(lra)). lra.
    - intros Hv. rewrite <- (Ropp_involutive v) in Hv. specialize (Above (- v) Hv). lra. }
  exists (fun u => match Rlt_dec 0 u with
                   | left a => match Rlt_dec u 1 with
                               | left b => proj1_sig (Least u (conj a b))
                               | right _ => 0
                               end
                   | right _ => 0
                   end).
  intros u v Hu. destruct (Rlt_dec 0 u) as [a|]; [|lra]. destruct (Rlt_dec u 1) as [b|]; [|lra].
  apply (proj2_sig (Least u (conj a b))).
Qed.

(** ** The process of an agent *)

(** The arm of an agent's next play may depend on its own past (arms and rewards) and on random
    numbers of its own. [rule past k] is that arm: [k] keys the random numbers. *)
Section Agent.
  Variable quantile : nat -> R -> R.               (* of arm a *)
  Variable uniform : nat -> R.                     (* of the agent's k-th play *)
  Variable rule : list (nat * R) -> nat -> nat.

  Fixpoint past_of (k : nat) : list (nat * R) :=
    match k with
    | O => []
    | S n => let a := rule (past_of n) n in (a, quantile a (uniform n)) :: past_of n
    end.

  Definition arm_of (k : nat) : nat := rule (past_of k) k.
  Definition reward_of (k : nat) : R := quantile (arm_of k) (uniform k).
End Agent.

(** The k-th play of the best arm alone pays at least as much as the k-th play of any strategy that
    plays arms of the agent: hidden, copied or mixed in any way, chosen by any rule. *)
Theorem best_arm_pays_no_less (arms : list nat) (best : nat) (F quantile : nat -> R -> R)
  (uniform : nat -> R) (rule : list (nat * R) -> nat -> nat) :
  (forall k, 0 < uniform k < 1) ->
  In best arms ->
  (forall a, In a arms -> is_inverse (quantile a) (F a)) ->
  (forall a, In a arms -> dominates (F best) (F a)) ->
  (forall a u, In a arms -> 0 < u < 1 -> 0 <= quantile a u) ->
  (forall past k, In (rule past k) arms) ->
  forall k, at_most (reward_of quantile uniform rule k) (quantile best (uniform k)).
Proof.
  intros Uni Here Inv Dom Pos Own k. unfold reward_of. set (a := arm_of _ _ _ _).
  assert (A : In a arms) by apply Own. split; [apply Pos; auto|].
  apply (dominance_couples _ (F best) _ (F a)); auto.
Qed.

(** ** Strategies in a game of any number of agents *)

(** Registering only the best arm is at least as good, on every path, as any other strategy. The
    others do as they like, as long as their indices see neither the round nor agent [i]. *)
Theorem best_arm_alone {V : Type} (le : V -> V -> bool) (order : total_preorder le)
  (rank : nat -> nat) (agents : list nat) (i : nat) (J : nat -> nat -> V) (index : list R -> V)
  (arms : list nat) (best : nat) (F quantile : nat -> R -> R) (uniform : nat -> R)
  (rule : list (nat * R) -> nat -> nat) (T : nat) (p q : nat -> nat) (g : nat -> R) (U : R -> R) :
  (forall a b, Forall2 at_most a b -> le (index a) (index b) = true) ->
  (forall k, 0 < uniform k < 1) ->
  In best arms ->
  (forall a, In a arms -> is_inverse (quantile a) (F a)) ->
  (forall a, In a arms -> dominates (F best) (F a)) ->
  (forall a u, In a arms -> 0 < u < 1 -> 0 <= quantile a u) ->
  (forall past k, In (rule past k) arms) ->
  let x := fun k => quantile best (uniform k) in
  let y := reward_of quantile uniform rule in
  follows le rank agents (indices i J (fun k _ => index (firsts x k))) T p ->
  follows le rank agents (indices i J (fun k _ => index (firsts y k))) T q ->
  is_discount g -> non_decreasing U ->
  (forall t, (t <= T)%nat -> (plays q i t <= plays p i t)%nat) /\
  U (revenue g y q i T) <= U (revenue g x p i T).
Proof.
  intros Mono Uni Here Inv Dom Pos Own x y P Q G HU.
  assert (H : forall k, at_most (y k) (x k)) by
    (apply (best_arm_pays_no_less arms best F quantile uniform rule); assumption).
  exact (pathwise_prompt le order rank agents i J (fun r => r) at_most at_most_worth index Mono
           x y T p q g U H P Q G HU).
Qed.

(** ** An example: Bernoulli arms *)

(** A Bernoulli arm of mean [m] pays 1 for uniform numbers above [1 - m]. *)
Definition bernoulli_quantile (m u : R) : R := if Rle_dec u (1 - m) then 0 else 1.
Definition bernoulli_distribution (m v : R) : R :=
  if Rlt_dec v 0 then 0 else if Rlt_dec v 1 then 1 - m else 1.

Lemma bernoulli_inverse m : is_inverse (bernoulli_quantile m) (bernoulli_distribution m).
Proof.
  intros u v Hu. unfold bernoulli_quantile, bernoulli_distribution.
  destruct (Rle_dec u (1 - m)), (Rlt_dec v 0), (Rlt_dec v 1); split; intros; lra.
Qed.

(** Of two Bernoulli arms the one of larger mean dominates. *)
Lemma bernoulli_dominates m m' : 0 <= m' <= m -> m <= 1 ->
  dominates (bernoulli_distribution m) (bernoulli_distribution m').
Proof.
  intros H L v. unfold bernoulli_distribution. destruct (Rlt_dec v 0), (Rlt_dec v 1); lra.
Qed.
