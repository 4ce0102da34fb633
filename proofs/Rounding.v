(** The same indices in rounded arithmetic: rounding keeps order, so they never fall either. *)
Require Import List Arith Lia Bool Reals Lra ZArith.
From Flocq Require Import Core.
Require Import Copyproof.Game Copyproof.Pathwise Copyproof.Instances Copyproof.KL Copyproof.Rows.
Import ListNotations.
Local Open Scope R_scope.

(** ** Any rounding that keeps order *)

Section Rounded.
  Variable rnd : R -> R.
  Hypothesis rnd_order : forall a b, a <= b -> rnd a <= rnd b.
  Hypothesis rnd_zero : rnd 0 = 0.
  Hypothesis rnd_idempotent : forall a, rnd (rnd a) = rnd a.

  (** Every operation is the exact one, rounded. *)
  Definition rounded : arithmetic := {|
    add := fun a b => rnd (a + b);
    mul := fun a b => rnd (a * b);
    div := fun a b => rnd (a / b) |}.

  Lemma rnd_positive a : 0 <= a -> 0 <= rnd a.
  Proof. intros H. rewrite <- rnd_zero. apply rnd_order, H. Qed.

  Lemma rounded_keeps_order : keeps_order rounded.
  Proof.
    split; simpl; intros; try apply rnd_positive; try apply rnd_order.
    - lra.
    - lra.
    - apply Rmult_le_compat; lra.
    - apply Rmult_le_pos; lra.
    - apply over_order; assumption.
    - apply over_positive; assumption.
  Qed.

  (** The rounded KL index. [decay x], 1 - e^-x as it is computed (by [expm1]), is taken to keep
      order and to give numbers that rounding leaves as they are: that is not proven here. *)
  Variable decay : R -> R.
  Hypothesis decay_order : forall a b, a <= b -> decay a <= decay b.
  Hypothesis decay_at_most_one : forall a, decay a <= 1.
  Hypothesis decay_positive : forall a, 0 <= a -> 0 <= decay a.
  Hypothesis decay_rounded : forall a, rnd (decay a) = decay a.
  Variable tilts : list (R * R).
  Hypothesis tilts_range : forall e, In e tilts -> 0 <= fst e /\ 0 < snd e <= 1.
  Variable top : R.

  (** The level is a rounded number. *)
  Definition rounded_bound (r l : R) : R := table_index rounded decay tilts top r (rnd l).

  Lemma rounded_bound_order r s l : 0 <= r <= s -> rounded_bound r l <= rounded_bound s l.
  Proof.
    intros H. apply table_index_order; auto.
    - exact rounded_keeps_order.
    - intros a c P C. simpl. rewrite <- (decay_rounded a) at 1. apply rnd_order.
      specialize (decay_positive a P). apply (Rmult_le_reg_r c); [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra.
    - intros b B. simpl. rewrite <- (rnd_idempotent l) at 1. apply rnd_order. lra.
  Qed.

  Lemma rounded_bound_at_most_one r l : rounded_bound r l <= 1.
  Proof. apply table_index_at_most_one; auto. Qed.

  Theorem rounded_trial_monotone table least q cap in_turn last_start starts level xs ys :
    (forall e, In e table -> least <= snd e) -> 0 <= q -> (forall d, In d starts -> (0 < d)%nat) ->
    Forall2 at_most xs ys ->
    value_le (trial_index rounded rounded_bound table least q cap in_turn last_start starts level xs)
      (trial_index rounded rounded_bound table least q cap in_turn last_start starts level ys) = true.
  Proof.
    intros T Q S. apply trial_monotone; auto.
    - exact rounded_keeps_order.
    - exact rounded_bound_order.
  Qed.

  Theorem rounded_rh_kl_ucb_monotone kappa level xs ys : Forall2 at_most xs ys ->
    value_le (sample_index rounded rounded_bound kappa level xs)
      (sample_index rounded rounded_bound kappa level ys) = true.
  Proof.
    apply sample_monotone.
    - exact rounded_keeps_order.
    - exact rounded_bound_order.
    - exact rounded_bound_at_most_one.
  Qed.

  Theorem rounded_h_ucb_t_free_monotone width xs ys : Forall2 at_most xs ys ->
    value_le (ucb_index rounded width xs) (ucb_index rounded width ys) = true.
  Proof. apply ucb_monotone, rounded_keeps_order. Qed.
End Rounded.

(** ** Binary64, to nearest, ties to even *)

(** Flocq's rounding, with subnormal numbers and without overflow: sums of rewards stay far below
    the largest number. *)
Definition binary64 : R -> R := round radix2 (FLT_exp (-1074) 53) ZnearestE.

Local Instance precision_positive : Prec_gt_0 53.
Proof. unfold Prec_gt_0. lia. Qed.

Lemma binary64_order a b : a <= b -> binary64 a <= binary64 b.
Proof. intros H. apply round_le; auto with typeclass_instances. Qed.

Lemma binary64_zero : binary64 0 = 0.
Proof. apply round_0; auto with typeclass_instances. Qed.

Lemma binary64_idempotent a : binary64 (binary64 a) = binary64 a.
Proof.
  unfold binary64. apply round_generic; [auto with typeclass_instances|].
  apply generic_format_round; auto with typeclass_instances.
Qed.

(** The index of [trial] as the engine computes it, given a computed [expm1] that keeps order. *)
Theorem binary64_trial_monotone decay tilts top table least q cap in_turn last_start starts level xs ys :
  (forall a b, a <= b -> decay a <= decay b) -> (forall a, decay a <= 1) ->
  (forall a, 0 <= a -> 0 <= decay a) -> (forall a, binary64 (decay a) = decay a) ->
  (forall e, In e tilts -> 0 <= fst e /\ 0 < snd e <= 1) ->
  (forall e, In e table -> least <= snd e) -> 0 <= q -> (forall d, In d starts -> (0 < d)%nat) ->
  Forall2 at_most xs ys ->
  let index := trial_index (rounded binary64) (rounded_bound binary64 decay tilts top) table least q cap
    in_turn last_start starts level in
  value_le (index xs) (index ys) = true.
Proof.
  intros D1 D2 D3 D4 Tl Tb Q S H index.
  exact (rounded_trial_monotone binary64 binary64_order binary64_zero binary64_idempotent decay D1 D2
           D3 D4 tilts Tl top table least q cap in_turn last_start starts level xs ys Tb Q S H).
Qed.

(** So the pathwise theorem holds for the rounded index, too: the order of plays is decided by rounded
    numbers, and revenue is summed exactly. *)
Corollary binary64_trial_never_pays decay tilts top table least q cap in_turn last_start starts level :
  (forall a b, a <= b -> decay a <= decay b) -> (forall a, decay a <= 1) ->
  (forall a, 0 <= a -> 0 <= decay a) -> (forall a, binary64 (decay a) = decay a) ->
  (forall e, In e tilts -> 0 <= fst e /\ 0 < snd e <= 1) ->
  (forall e, In e table -> least <= snd e) -> 0 <= q -> (forall d, In d starts -> (0 < d)%nat) ->
  never_pays (trial_index (rounded binary64) (rounded_bound binary64 decay tilts top) table least q cap
    in_turn last_start starts level).
Proof.
  intros D1 D2 D3 D4 Tl Tb Q S. apply monotone_index_never_pays. intros a b.
  exact (binary64_trial_monotone decay tilts top table least q cap in_turn last_start starts level a b
           D1 D2 D3 D4 Tl Tb Q S).
Qed.

(** The hypotheses on [decay] can be met: a correctly rounded one meets them. *)
Definition rounded_decay (x : R) : R := binary64 (exact_decay x).

Lemma binary64_one : binary64 1 = 1.
Proof.
  unfold binary64. apply round_generic; [auto with typeclass_instances|].
  change 1 with (bpow radix2 0). apply generic_format_bpow. unfold FLT_exp. lia.
Qed.

Corollary binary64_trial_never_pays_if_expm1_is_exact tilts top table least q cap in_turn last_start
  starts level :
  (forall e, In e tilts -> 0 <= fst e /\ 0 < snd e <= 1) ->
  (forall e, In e table -> least <= snd e) -> 0 <= q -> (forall d, In d starts -> (0 < d)%nat) ->
  never_pays (trial_index (rounded binary64) (rounded_bound binary64 rounded_decay tilts top) table
    least q cap in_turn last_start starts level).
Proof.
  apply binary64_trial_never_pays.
  - intros a b L. apply binary64_order, exact_decay_order, L.
  - intros a. rewrite <- binary64_one. apply binary64_order. unfold exact_decay.
    pose proof (exp_pos (- a)). lra.
  - intros a L. rewrite <- binary64_zero. apply binary64_order, exact_decay_range, L.
  - intros a. apply binary64_idempotent.
Qed.
