(** Rows of the catalogue: their indices in exact arithmetic, and the pathwise theorem for each. *)
Require Import List Arith Lia Bool Reals Lra.
Require Import Copyproof.Game Copyproof.Revenue Copyproof.Pathwise Copyproof.Coupling.
Require Import Copyproof.Instances Copyproof.KL.
Import ListNotations.
Local Open Scope R_scope.

(** ** Monotone indices *)

Theorem h_ucb_t_free_monotone width xs ys : Forall2 at_most xs ys ->
  value_le (ucb_index exact width xs) (ucb_index exact width ys) = true.
Proof. apply ucb_monotone, exact_keeps_order. Qed.

Theorem rh_kl_ucb_monotone kappa level xs ys : Forall2 at_most xs ys ->
  value_le (sample_index exact kl_index kappa level xs) (sample_index exact kl_index kappa level ys)
    = true.
Proof.
  apply sample_monotone.
  - exact exact_keeps_order.
  - exact kl_index_order.
  - exact kl_index_at_most_one.
Qed.

Theorem trial_index_monotone table least q cap in_turn last_start starts level xs ys :
  (forall e, In e table -> least <= snd e) -> 0 <= q -> (forall d, In d starts -> (0 < d)%nat) ->
  Forall2 at_most xs ys ->
  value_le (trial_index exact kl_index table least q cap in_turn last_start starts level xs)
    (trial_index exact kl_index table least q cap in_turn last_start starts level ys) = true.
Proof.
  intros T Q S. apply trial_monotone; auto.
  - exact exact_keeps_order.
  - exact kl_index_order.
Qed.

Theorem trial_index_by_table_monotone tilts top table least q cap in_turn last_start starts level xs ys :
  (forall e, In e tilts -> 0 <= fst e /\ 0 < snd e <= 1) ->
  (forall e, In e table -> least <= snd e) -> 0 <= q -> (forall d, In d starts -> (0 < d)%nat) ->
  Forall2 at_most xs ys ->
  let bound := table_index exact exact_decay tilts top in
  value_le (trial_index exact bound table least q cap in_turn last_start starts level xs)
    (trial_index exact bound table least q cap in_turn last_start starts level ys) = true.
Proof.
  intros Tilts T Q S H bound. apply trial_monotone; auto.
  - exact exact_keeps_order.
  - intros r s l L. apply table_index_exact_order; assumption.
Qed.

(** The table of claims: 2^(-g/64) with its power 2^(-1.2 g/64), for g = 0, ..., 384. *)
Definition grid_point (g : nat) : R * R :=
  (Rpower 2 (- (6 / 5) * (INR g / 64)), Rpower 2 (- (INR g / 64))).
Definition claims : list (R * R) := map grid_point (seq 0 385).
Definition least_claim_of_all : R := Rpower 2 (- 6).

Lemma claims_above_the_least e : In e claims -> least_claim_of_all <= snd e.
Proof.
  unfold claims. rewrite in_map_iff. intros [g [E H]]. subst e. apply in_seq in H. simpl.
  unfold least_claim_of_all. apply Rle_Rpower; [lra|].
  assert (INR g <= 384) by (replace 384 with (INR 384) by (simpl; lra); apply le_INR; lia). lra.
Qed.

(** A grid point is claimed only if its power 1.2 is at most v. *)
Lemma claim_is_a_power g : fst (grid_point g) = Rpower (snd (grid_point g)) (6 / 5).
Proof. unfold grid_point. simpl. rewrite Rpower_mult. f_equal. lra. Qed.

(** ** The theorem for any row with a monotone index *)

(** What a game of agent [i]'s best arm alone against any other strategy needs: the arms, their
    inverse distribution functions, and a rule that plays these arms only. *)
Record strategies (arms : list nat) (best : nat) (F quantile : nat -> R -> R)
  (uniform : nat -> R) (rule : list (nat * R) -> nat -> nat) : Prop := {
  uniforms : forall k, 0 < uniform k < 1;
  best_is_owned : In best arms;
  inverses : forall a, In a arms -> is_inverse (quantile a) (F a);
  best_dominates : forall a, In a arms -> dominates (F best) (F a);
  rewards_not_negative : forall a u, In a arms -> 0 < u < 1 -> 0 <= quantile a u;
  rule_plays_own_arms : forall past k, In (rule past k) arms }.

(** Markets of Bernoulli arms are such: the arm of the largest mean is the best. *)
Theorem bernoulli_strategies (mean : nat -> R) (arms : list nat) (best : nat) (uniform : nat -> R)
  (rule : list (nat * R) -> nat -> nat) :
  (forall k, 0 < uniform k < 1) -> In best arms -> mean best <= 1 ->
  (forall a, In a arms -> 0 <= mean a <= mean best) ->
  (forall past k, In (rule past k) arms) ->
  strategies arms best (fun a => bernoulli_distribution (mean a))
    (fun a => bernoulli_quantile (mean a)) uniform rule.
Proof.
  intros Uni Here Top Best Own. split; auto.
  - intros a _. apply bernoulli_inverse.
  - intros a A. apply bernoulli_dominates; auto.
  - intros a u _ _. unfold bernoulli_quantile. destruct (Rle_dec u (1 - mean a)); lra.
Qed.

(** On every path the best arm alone earns at least as much, for every discount and utility, and its
    k-th play comes no later. *)
Definition never_pays (index : list R -> value) : Prop :=
  forall rank agents i J arms best F quantile uniform rule T p q g U,
  strategies arms best F quantile uniform rule ->
  let x := fun k => quantile best (uniform k) in
  let y := reward_of quantile uniform rule in
  follows value_le rank agents (indices i J (fun k _ => index (firsts x k))) T p ->
  follows value_le rank agents (indices i J (fun k _ => index (firsts y k))) T q ->
  is_discount g -> non_decreasing U ->
  (forall t, (t <= T)%nat -> (plays q i t <= plays p i t)%nat) /\
  U (revenue g y q i T) <= U (revenue g x p i T).

Theorem monotone_index_never_pays index :
  (forall a b, Forall2 at_most a b -> value_le (index a) (index b) = true) -> never_pays index.
Proof.
  intros Mono rank agents i J arms best F quantile uniform rule T p q g U [] x y P Q G HU.
  exact (best_arm_alone value_le value_order rank agents i J index arms best F quantile uniform
           rule T p q g U Mono uniforms0 best_is_owned0 inverses0 best_dominates0
           rewards_not_negative0 rule_plays_own_arms0 P Q G HU).
Qed.

Corollary trial_never_pays table least q cap in_turn last_start starts level :
  (forall e, In e table -> least <= snd e) -> 0 <= q -> (forall d, In d starts -> (0 < d)%nat) ->
  never_pays (trial_index exact kl_index table least q cap in_turn last_start starts level).
Proof.
  intros T Q S. apply monotone_index_never_pays. intros a b. apply trial_index_monotone; assumption.
Qed.

(** With the claims of trial.md, whatever its other numbers are. *)
Corollary trial_of_the_page_never_pays q cap in_turn last_start starts level :
  0 <= q -> (forall d, In d starts -> (0 < d)%nat) ->
  never_pays (trial_index exact kl_index claims least_claim_of_all q cap in_turn last_start starts level).
Proof. apply trial_never_pays, claims_above_the_least. Qed.

Corollary rh_kl_ucb_never_pays kappa level : never_pays (sample_index exact kl_index kappa level).
Proof. apply monotone_index_never_pays. intros a b. apply rh_kl_ucb_monotone. Qed.

Corollary h_ucb_t_free_never_pays width : never_pays (ucb_index exact width).
Proof. apply monotone_index_never_pays. intros a b. apply h_ucb_t_free_monotone. Qed.
