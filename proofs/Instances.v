(** Indices of the package: non-decreasing in each own reward, for given plays.

    The formulas are written over an arithmetic that is either exact or rounded ([Rounding]); all
    that the proofs ask of it is that its operations keep order. *)
Require Import List Arith Lia Bool Reals Lra.
Require Import Copyproof.Game Copyproof.Pathwise.
Import ListNotations.
Local Open Scope R_scope.

(** ** Index values *)

(** An agent that is away is below all others; an unplayed one is above. *)
Inductive value : Type :=
  | Away
  | Number (r : R)
  | Unplayed.

Definition value_le (a b : value) : bool :=
  match a, b with
  | Away, _ => true
  | _, Unplayed => true
  | Number r, Number s => if Rle_dec r s then true else false
  | _, _ => false
  end.

Lemma value_order : total_preorder value_le.
Proof.
  split.
  - intros [|r|] [|s|]; simpl; auto. destruct (Rle_dec r s), (Rle_dec s r); auto. lra.
  - intros [|r|] [|s|] [|u|]; simpl; auto; try discriminate.
    destruct (Rle_dec r s), (Rle_dec s u), (Rle_dec r u); auto; try discriminate. lra.
Qed.

Lemma away_is_least a : value_le Away a = true.
Proof. reflexivity. Qed.

Lemma number_le r s : r <= s -> value_le (Number r) (Number s) = true.
Proof. intros L. simpl. destruct (Rle_dec r s); [reflexivity|contradiction]. Qed.

Lemma max_order a b c d : a <= c -> b <= d -> Rmax a b <= Rmax c d.
Proof.
  intros. apply Rmax_lub; [apply Rle_trans with c|apply Rle_trans with d]; auto;
    [apply Rmax_l|apply Rmax_r].
Qed.

Lemma min_order a b c d : a <= c -> b <= d -> Rmin a b <= Rmin c d.
Proof.
  intros. apply Rmin_glb; [apply Rle_trans with a|apply Rle_trans with b]; auto;
    [apply Rmin_l|apply Rmin_r].
Qed.

(** ** Arithmetic *)

Record arithmetic : Type := {
  add : R -> R -> R;
  mul : R -> R -> R;
  div : R -> R -> R }.

Record keeps_order (A : arithmetic) : Prop := {
  add_order : forall a a' b b', a <= a' -> b <= b' -> add A a b <= add A a' b';
  add_positive : forall a b, 0 <= a -> 0 <= b -> 0 <= add A a b;
  mul_order : forall a a' b b', 0 <= a <= a' -> 0 <= b <= b' -> mul A a b <= mul A a' b';
  mul_positive : forall a b, 0 <= a -> 0 <= b -> 0 <= mul A a b;
  div_order : forall a a' c, 0 < c -> a <= a' -> div A a c <= div A a' c;
  div_positive : forall a c, 0 < c -> 0 <= a -> 0 <= div A a c }.

Definition exact : arithmetic := {| add := Rplus; mul := Rmult; div := Rdiv |}.

Lemma over_order a b c : 0 < c -> a <= b -> a / c <= b / c.
Proof. intros C L. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat|]; assumption. Qed.

Lemma over_positive a c : 0 < c -> 0 <= a -> 0 <= a / c.
Proof. intros C L. apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat]; assumption. Qed.

Lemma exact_keeps_order : keeps_order exact.
Proof.
  split; simpl; intros.
  - lra.
  - lra.
  - apply Rmult_le_compat; lra.
  - apply Rmult_le_pos; lra.
  - apply over_order; assumption.
  - apply over_positive; assumption.
Qed.

Section Indices.
  Variable A : arithmetic.
  Hypothesis ordered : keeps_order A.

  (** *** Sums of rewards, in the order of plays *)

  Definition sum (xs : list R) : R := fold_left (add A) xs 0.

  Lemma sum_from_order xs ys : Forall2 at_most xs ys ->
    forall a b, 0 <= a <= b -> 0 <= fold_left (add A) xs a <= fold_left (add A) ys b.
  Proof.
    induction 1 as [|x y xs ys H _ IH]; intros a b L; simpl; [exact L|].
    destruct H as [H1 H2]. apply IH. split.
    - apply (add_positive A ordered); lra.
    - apply (add_order A ordered); lra.
  Qed.

  Lemma sum_order xs ys : Forall2 at_most xs ys -> 0 <= sum xs <= sum ys.
  Proof. intros H. apply sum_from_order; [exact H|lra]. Qed.

  Lemma same_plays xs ys : Forall2 at_most xs ys -> length xs = length ys.
  Proof. induction 1; simpl; congruence. Qed.

  Lemma firstn_order d xs ys : Forall2 at_most xs ys -> Forall2 at_most (firstn d xs) (firstn d ys).
  Proof.
    intros H. revert d. induction H; intros [|d]; simpl; constructor; auto.
  Qed.

  Lemma skipn_order d xs ys : Forall2 at_most xs ys -> Forall2 at_most (skipn d xs) (skipn d ys).
  Proof.
    intros H. revert d. induction H; intros [|d]; simpl; try constructor; auto.
  Qed.

  Definition mean (xs : list R) : R := div A (sum xs) (INR (length xs)).

  Lemma mean_order xs ys : (0 < length xs)%nat -> Forall2 at_most xs ys ->
    0 <= mean xs <= mean ys.
  Proof.
    intros L H. unfold mean. rewrite <- (same_plays xs ys H). apply lt_INR in L. simpl in L.
    pose proof (sum_order xs ys H). split.
    - apply (div_positive A ordered); lra.
    - apply (div_order A ordered); lra.
  Qed.

  (** *** h-ucb-t-free: the mean, and a width of T and the plays *)

  Variable width : nat -> R.

  Definition ucb_index (xs : list R) : value :=
    if (length xs =? 0)%nat then Unplayed else Number (add A (mean xs) (width (length xs))).

  Theorem ucb_monotone xs ys : Forall2 at_most xs ys ->
    value_le (ucb_index xs) (ucb_index ys) = true.
  Proof.
    intros H. unfold ucb_index. rewrite <- (same_plays xs ys H).
    destruct (length xs =? 0)%nat eqn:E; [reflexivity|]. apply Nat.eqb_neq in E. apply number_le.
    pose proof (mean_order xs ys ltac:(lia) H). apply (add_order A ordered); lra.
  Qed.

  (** *** Bounds for a mean reward *)

  (** [bound r l]: the largest u with kl(r, u) <= l, or how the engine computes it. Both are shown
      to be such bounds below. *)
  Variable bound : R -> R -> R.
  Hypothesis bound_order : forall r s l, 0 <= r <= s -> bound r l <= bound s l.
  Hypothesis bound_at_most_one : forall r l, bound r l <= 1.

  (** *** rh-kl-ucb: kappa plays and a width of kappa ln T are forgiven *)

  Variable kappa : nat.
  Variable sample_level : nat -> R.

  Definition sample_index (xs : list R) : value :=
    let w := (length xs - kappa)%nat in
    if (length xs =? 0)%nat then Unplayed
    else if (w =? 0)%nat then Number 1
    else if Rle_dec (INR w) (sum xs) then Number 1
    else Number (bound (div A (sum xs) (INR w)) (sample_level w)).

  Theorem sample_monotone xs ys : Forall2 at_most xs ys ->
    value_le (sample_index xs) (sample_index ys) = true.
  Proof.
    intros H. unfold sample_index. rewrite <- (same_plays xs ys H).
    destruct (length xs =? 0)%nat; [reflexivity|]. set (w := (length xs - kappa)%nat).
    destruct (w =? 0)%nat eqn:E; [apply number_le; lra|]. apply Nat.eqb_neq in E.
    assert (W : 0 < INR w) by (apply (lt_INR 0); lia).
    pose proof (sum_order xs ys H) as S.
    destruct (Rle_dec (INR w) (sum xs)), (Rle_dec (INR w) (sum ys)); apply number_le; try lra.
    - apply bound_at_most_one.
    - apply bound_order. split.
      + apply (div_positive A ordered); lra.
      + apply (div_order A ordered); lra.
  Qed.

  (** *** trial *)

  (** Claims are rounded down to a grid: [table] holds pairs (power, claim), and the claim for [v] is
      the largest whose power is at most [v]. The last resort is [least]. *)
  Variable table : list (R * R).
  Variable least : R.

  Definition on_grid (v : R) : R :=
    fold_right (fun e m => Rmax (if Rle_dec (fst e) v then snd e else least) m) least table.

  Hypothesis least_claim : forall e, In e table -> least <= snd e.

  Lemma on_grid_order v w : v <= w -> on_grid v <= on_grid w.
  Proof.
    intros L. unfold on_grid.
    assert (H : forall e, In e table -> (if Rle_dec (fst e) v then snd e else least)
                  <= (if Rle_dec (fst e) w then snd e else least)).
    { intros e He. specialize (least_claim e He).
      destruct (Rle_dec (fst e) v), (Rle_dec (fst e) w); lra. }
    revert H. clear least_claim. induction table as [|e es IH]; intros H; simpl; [lra|].
    apply max_order.
    - apply H. left. reflexivity.
    - apply IH. intros f Hf. apply H. right. exact Hf.
  Qed.

  (** The claim of an agent whose [n] plays have paid [s]: the grid point below (q + min(0.4 s, cap)) / n,
      cap = 0.3 q. The exponent 1/1.2 is in the table. *)
  Variables q cap : R.

  Definition claim (n : nat) (s : R) : R :=
    on_grid (div A (add A q (Rmin (mul A (2 / 5) s) cap)) (INR n)).

  Lemma claim_order n s s' : (0 < n)%nat -> 0 <= s <= s' -> claim n s <= claim n s'.
  Proof.
    intros N L. apply lt_INR in N. simpl in N.
    apply on_grid_order, (div_order A ordered); [exact N|].
    apply (add_order A ordered); [lra|]. apply min_order; [|lra].
    apply (mul_order A ordered); lra.
  Qed.

  (** [starts]: d_0, d_1, ... up to the last one; an agent may forget what was before a start. The
      level is a function of the plays since; it holds T and n. *)
  Variable in_turn : nat.               (* d_0 *)
  Variable last_start : nat.
  Variable starts : list nat.
  Hypothesis starts_positive : forall d, In d starts -> (0 < d)%nat.
  Variable level : nat -> R.

  (** What a start gives: its claim, or the upper bound of the mean since if that is smaller. *)
  Definition since_start (xs : list R) (d : nat) : R :=
    if (length xs <? d)%nat then 0
    else Rmin (claim d (sum (firstn d xs)))
           (if (length xs =? d)%nat then 1
            else bound (Rmin (mean (skipn d xs)) 1) (level (length xs - d))).

  Definition trial_index (xs : list R) : value :=
    if (length xs =? 0)%nat then Unplayed
    else if (length xs <? in_turn)%nat then Number (3 - INR (length xs) / INR in_turn)
    else Number (fold_right (fun d m => Rmax (since_start xs d) m)
                   (if (length xs <? last_start)%nat then claim (length xs) (sum xs) else 0) starts).

  Lemma since_start_order d xs ys : (0 < d)%nat -> Forall2 at_most xs ys ->
    since_start xs d <= since_start ys d.
  Proof.
    intros D H. unfold since_start. rewrite <- (same_plays xs ys H).
    destruct (length xs <? d)%nat eqn:E; [lra|]. apply Nat.ltb_ge in E. apply min_order.
    - apply claim_order; [exact D|]. apply sum_order, firstn_order, H.
    - destruct (length xs =? d)%nat eqn:F; [lra|]. apply Nat.eqb_neq in F.
      assert (P : (0 < length (skipn d xs))%nat) by (rewrite skipn_length; lia).
      pose proof (mean_order _ _ P (skipn_order d xs ys H)) as M. apply bound_order. split.
      + apply Rmin_glb; lra.
      + apply min_order; lra.
  Qed.

  Theorem trial_monotone xs ys : Forall2 at_most xs ys ->
    value_le (trial_index xs) (trial_index ys) = true.
  Proof.
    intros H. unfold trial_index. rewrite <- (same_plays xs ys H).
    destruct (length xs =? 0)%nat eqn:E; [reflexivity|]. apply Nat.eqb_neq in E.
    destruct (length xs <? in_turn)%nat; apply number_le; [lra|].
    assert (B : (if (length xs <? last_start)%nat then claim (length xs) (sum xs) else 0) <=
                (if (length xs <? last_start)%nat then claim (length xs) (sum ys) else 0)).
    { destruct (length xs <? last_start)%nat; [|lra]. apply claim_order; [lia|].
      apply sum_order, H. }
    revert starts_positive B. generalize starts. intros l. induction l as [|d ds IH]; intros P B;
      simpl; [exact B|].
    apply max_order.
    - apply since_start_order; [apply P; left; reflexivity|exact H].
    - apply IH; [intros f Hf; apply P; right; exact Hf|exact B].
  Qed.
End Indices.
