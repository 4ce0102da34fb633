(** The KL index of rewards in [0, 1], and the table of tilts by which the engine computes it. *)
Require Import List Arith Lia Bool Reals Lra.
Require Import Copyproof.Game Copyproof.Pathwise Copyproof.Instances.
Import ListNotations.
Local Open Scope R_scope.

(** ** Divergence of Bernoulli distributions *)

(** In Coq [ln 0] is 0, so that 0 ln 0 = 0 needs no case. *)
Definition kl (p q : R) : R := p * (ln p - ln q) + (1 - p) * (ln (1 - p) - ln (1 - q)).

Lemma ln_below x : 0 < x -> ln x <= x - 1.
Proof.
  intros H. pose proof (exp_ineq1_le (ln x)) as E. rewrite exp_ln in E by exact H. lra.
Qed.

(** x ln(x/y) >= x - y, also for x = 0. *)
Lemma tangent x y : 0 <= x -> 0 < y -> x - y <= x * (ln x - ln y).
Proof.
  intros [P|E] Y; [|subst; lra].
  assert (L : ln (y / x) <= y / x - 1) by (apply ln_below, Rdiv_lt_0_compat; assumption).
  unfold Rdiv in L. rewrite ln_mult, ln_Rinv in L by (try apply Rinv_0_lt_compat; assumption).
  assert (x * (ln y - ln x) <= x * (y * / x - 1)) by (apply Rmult_le_compat_l; lra).
  replace (x * (y * / x - 1)) with (y - x) in H by (field; lra). lra.
Qed.

Lemma kl_positive p q : 0 <= p <= 1 -> 0 < q < 1 -> 0 <= kl p q.
Proof.
  intros P Q. unfold kl. pose proof (tangent p q ltac:(lra) ltac:(lra)).
  pose proof (tangent (1 - p) (1 - q) ltac:(lra) ltac:(lra)). lra.
Qed.

(** Below [q], kl falls towards [q]: kl(p, q) - kl(r, q) is kl(p, r) and a product of two
    numbers that are not positive. *)
Lemma kl_falls p r q : 0 <= p <= r -> r < q < 1 -> kl r q <= kl p q.
Proof.
  intros P Q. destruct (Req_dec p r) as [E|N]; [subst; lra|].
  pose proof (kl_positive p r ltac:(lra) ltac:(lra)) as K.
  assert (A : ln r < ln q) by (apply ln_increasing; lra).
  assert (B : ln (1 - q) < ln (1 - r)) by (apply ln_increasing; lra).
  assert (E : kl p q - kl r q = kl p r + (r - p) * (ln q - ln r + (ln (1 - r) - ln (1 - q))))
    by (unfold kl; ring).
  assert (0 <= (r - p) * (ln q - ln r + (ln (1 - r) - ln (1 - q)))) by (apply Rmult_le_pos; lra).
  lra.
Qed.

(** ** The largest u with kl(r, u) <= l *)

(** Where r < 1, kl(r, 1) is infinite. What is at most [r] always counts. *)
Definition plausible (r l u : R) : Prop :=
  u <= 1 /\ (u <= 0 \/ u <= r \/ (0 < u < 1 /\ kl r u <= l)).

Lemma plausible_order r s l u : 0 <= r <= s -> plausible r l u -> plausible s l u.
Proof.
  intros H [B [C|[C|[C K]]]]; split; try exact B; [left; exact C|right; left; lra|].
  destruct (Rle_dec u s) as [L|L]; [right; left; exact L|right; right]. split; [exact C|].
  apply Rle_trans with (kl r u); [apply kl_falls; lra|exact K].
Qed.

Lemma plausible_bound r l : bound (plausible r l).
Proof. exists 1. intros u [B _]. exact B. Qed.

Lemma plausible_some r l : exists u, plausible r l u.
Proof. exists 0. split; [lra|left; lra]. Qed.

Definition kl_index (r l : R) : R :=
  proj1_sig (completeness (plausible r l) (plausible_bound r l) (plausible_some r l)).

Lemma kl_index_lub r l : is_lub (plausible r l) (kl_index r l).
Proof. exact (proj2_sig (completeness _ _ _)). Qed.

Theorem kl_index_order r s l : 0 <= r <= s -> kl_index r l <= kl_index s l.
Proof.
  intros H. apply (proj2 (kl_index_lub r l)). intros u P.
  apply (proj1 (kl_index_lub s l)). apply (plausible_order r s l u H P).
Qed.

Lemma kl_index_at_most_one r l : kl_index r l <= 1.
Proof. apply (proj2 (kl_index_lub r l)). intros u [B _]. exact B. Qed.

Lemma kl_index_above_mean r l : 0 <= r <= 1 -> r <= kl_index r l.
Proof.
  intros H. apply (proj1 (kl_index_lub r l)). split; [lra|right; left; lra].
Qed.

(** ** The table of tilts *)

(** Chernoff's bound: for a tilt s > 0 no plausible u is above F_s(r, l). *)
Definition tilted (s r l : R) : R := (1 - exp (- (l + s * r))) / (1 - exp (- s)).

Lemma chernoff r u s : 0 <= r <= 1 -> 0 < u < 1 ->
  - s * r - ln (1 - u + u * exp (- s)) <= kl r u.
Proof.
  intros Hr Hu. pose proof (exp_pos (- s)) as E.
  assert (Z : 0 < 1 - u + u * exp (- s)) by (assert (0 < u * exp (- s)) by
    (apply Rmult_lt_0_compat; lra); lra).
  set (z := 1 - u + u * exp (- s)) in *.
  (* kl(r, v) >= 0 for the tilted v *)
  assert (V : 0 < u * exp (- s) / z) by
    (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  assert (C : 1 - u * exp (- s) / z = (1 - u) / z) by (unfold z; field; unfold z in Z; lra).
  assert (W : 0 < (1 - u) / z) by (apply Rdiv_lt_0_compat; lra).
  assert (K : 0 <= kl r (u * exp (- s) / z)) by (apply kl_positive; lra).
  unfold kl in K. rewrite C in K. unfold Rdiv in K.
  rewrite !ln_mult, ln_Rinv, ln_exp in K;
    try lra; try apply Rinv_0_lt_compat; try apply Rmult_lt_0_compat; try lra.
  unfold kl. nra.
Qed.

Lemma tilted_above s r l u : 0 < s -> 0 <= r <= 1 -> 0 < u < 1 -> kl r u <= l -> u <= tilted s r l.
Proof.
  intros S Hr Hu K. pose proof (chernoff r u s Hr Hu) as C.
  assert (E : exp (- s) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
  assert (Z : 0 < 1 - u + u * exp (- s)) by (pose proof (exp_pos (- s));
    assert (0 < u * exp (- s)) by (apply Rmult_lt_0_compat; lra); lra).
  assert (X : exp (- (l + s * r)) <= 1 - u + u * exp (- s)).
  { rewrite <- (exp_ln _ Z). destruct (Rle_lt_or_eq_dec (- (l + s * r))
      (ln (1 - u + u * exp (- s)))) as [L|L]; [lra|left; apply exp_increasing, L|rewrite L; lra]. }
  unfold tilted. apply (Rmult_le_reg_r (1 - exp (- s))); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. lra.
Qed.

(** How the engine computes the index: the least F_s over a table of tilts, never below the mean and
    never above 1. [decay x] is 1 - e^-x as it is computed, and [tilts] are pairs (s, 1 - e^-s). *)
Section Table.
  Variable A : arithmetic.
  Hypothesis ordered : keeps_order A.
  Variable decay : R -> R.
  Hypothesis decay_order : forall a b, a <= b -> decay a <= decay b.
  Hypothesis decay_at_most_one : forall a, decay a <= 1.
  Hypothesis decay_positive : forall a, 0 <= a -> 0 <= decay a.
  Variable tilts : list (R * R).
  Hypothesis tilts_range : forall e, In e tilts -> 0 <= fst e /\ 0 < snd e <= 1.
  (** A quotient by a number up to 1 is no smaller: for rounded numbers, as rounding keeps order. *)
  Hypothesis div_raises : forall a c, 0 <= a -> 0 < c <= 1 -> decay a <= div A (decay a) c.

  Definition least_tilted (r l : R) : R :=
    fold_right (fun e m => Rmin (div A (decay (add A l (mul A (fst e) r))) (snd e)) m) 1 tilts.

  Definition table_index (top r l : R) : R :=
    if Rle_dec 1 r then 1 else if Rle_dec top l then 1 else if Rle_dec l 0 then r
    else if Rle_dec r 0 then decay l else Rmax r (least_tilted r l).

  Lemma least_tilted_order r s l : 0 <= r <= s -> least_tilted r l <= least_tilted s l.
  Proof.
    intros H. unfold least_tilted. revert tilts_range.
    induction tilts as [|e es IH]; intros T; simpl; [lra|]. apply min_order.
    - destruct (T e (or_introl eq_refl)) as [P Q]. apply (div_order A ordered); [lra|].
      apply decay_order, (add_order A ordered); [lra|]. apply (mul_order A ordered); lra.
    - apply IH. intros f F. apply T. right. exact F.
  Qed.

  Lemma least_tilted_at_most_one r l : least_tilted r l <= 1.
  Proof.
    unfold least_tilted. induction tilts as [|e es IH]; simpl; [lra|].
    apply Rle_trans with (2 := IH ltac:(intros; apply tilts_range; right; assumption)), Rmin_r.
  Qed.

  (** [raised l]: a sum of [l] and a number that is not negative is no smaller. *)
  Definition raised (l : R) : Prop := forall b, 0 <= b -> l <= add A l b.

  Lemma decay_below_table r l : raised l -> 0 < l -> 0 <= r -> decay l <= least_tilted r l.
  Proof.
    intros Up L H. unfold least_tilted. revert tilts_range.
    induction tilts as [|e es IH]; intros T; simpl; [apply decay_at_most_one|].
    apply Rmin_glb; [|apply IH; intros f F; apply T; right; exact F].
    destruct (T e (or_introl eq_refl)) as [P Q].
    assert (M : 0 <= mul A (fst e) r) by (apply (mul_positive A ordered); lra).
    apply Rle_trans with (decay (add A l (mul A (fst e) r))); [apply decay_order, Up, M|].
    apply div_raises; [apply (add_positive A ordered); lra|exact Q].
  Qed.

  Theorem table_index_order top r s l : raised l -> 0 <= r <= s ->
    table_index top r l <= table_index top s l.
  Proof.
    intros Up H. unfold table_index. pose proof (least_tilted_at_most_one r l).
    pose proof (decay_at_most_one l).
    destruct (Rle_dec 1 r), (Rle_dec 1 s), (Rle_dec top l), (Rle_dec l 0); try lra.
    - destruct (Rle_dec r 0); [lra|]. apply Rmax_lub; lra.
    - destruct (Rle_dec r 0), (Rle_dec s 0); try lra.
      + apply Rle_trans with (least_tilted s l); [apply decay_below_table; auto; lra|apply Rmax_r].
      + apply max_order; [lra|]. apply least_tilted_order. exact H.
  Qed.

  Theorem table_index_at_most_one top r l : table_index top r l <= 1.
  Proof.
    unfold table_index. pose proof (least_tilted_at_most_one r l). pose proof (decay_at_most_one l).
    destruct (Rle_dec 1 r); [lra|]. destruct (Rle_dec top l); [lra|]. destruct (Rle_dec l 0); [lra|].
    destruct (Rle_dec r 0); [lra|]. apply Rmax_lub; lra.
  Qed.
End Table.

(** ** In exact arithmetic *)

Definition exact_decay (x : R) : R := 1 - exp (- x).

Lemma exact_decay_order a b : a <= b -> exact_decay a <= exact_decay b.
Proof.
  intros [L|E]; unfold exact_decay; [|subst; lra].
  assert (exp (- b) < exp (- a)) by (apply exp_increasing; lra). lra.
Qed.

Lemma exact_decay_range a : 0 <= a -> 0 <= exact_decay a.
Proof. intros L. pose proof (exact_decay_order 0 a L) as H. unfold exact_decay in *.
  rewrite Ropp_0, exp_0 in H. lra. Qed.

Lemma exact_div_raises a c : 0 <= a -> 0 < c <= 1 -> exact_decay a <= exact_decay a / c.
Proof.
  intros L C. pose proof (exact_decay_range a L). apply (Rmult_le_reg_r c); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra.
Qed.

Theorem table_index_exact_order tilts top r s l :
  (forall e, In e tilts -> 0 <= fst e /\ 0 < snd e <= 1) -> 0 <= r <= s ->
  table_index exact exact_decay tilts top r l <= table_index exact exact_decay tilts top s l.
Proof.
  intros T H. apply table_index_order; auto.
  - exact exact_keeps_order.
  - exact exact_decay_order.
  - intros a. unfold exact_decay. pose proof (exp_pos (- a)). lra.
  - exact exact_div_raises.
  - intros b B. simpl. lra.
Qed.

(** The table's index is never below the KL index. *)
Theorem table_index_above tilts top r l :
  (forall e, In e tilts -> 0 < fst e /\ snd e = 1 - exp (- fst e)) -> 0 < r < 1 -> 0 < l ->
  kl_index r l <= table_index exact exact_decay tilts top r l.
Proof.
  intros T H L. unfold table_index. destruct (Rle_dec 1 r); [lra|].
  destruct (Rle_dec top l); [apply kl_index_at_most_one|]. destruct (Rle_dec l 0); [lra|].
  destruct (Rle_dec r 0); [lra|]. apply (proj2 (kl_index_lub r l)). intros u [B [C|[C|[C K]]]].
  - apply Rle_trans with r; [lra|apply Rmax_l].
  - apply Rle_trans with r; [lra|apply Rmax_l].
  - apply Rle_trans with (least_tilted exact exact_decay tilts r l); [|apply Rmax_r].
    unfold least_tilted. revert T. induction tilts as [|e es IH]; intros T; simpl; [lra|].
    apply Rmin_glb; [|apply IH; intros f F; apply T; right; exact F].
    destruct (T e (or_introl eq_refl)) as [S E]. rewrite E.
    apply (tilted_above (fst e) r l u); auto; lra.
Qed.
