(** Revenue: sums over rounds, discounts, and what an agent's plays pay. *)
Require Import List Arith Lia Bool Reals Lra.
Require Import Copyproof.Game.
Import ListNotations.
Local Open Scope R_scope.

(** The sum of the first [n] terms. *)
Fixpoint total (f : nat -> R) (n : nat) : R :=
  match n with
  | O => 0
  | S m => total f m + f m
  end.

Lemma total_ext f g n : (forall k, (k < n)%nat -> f k = g k) -> total f n = total g n.
Proof.
  induction n as [|n IH]; intros E; [reflexivity|]. simpl. rewrite IH, E; auto.
Qed.

Lemma total_order f g n : (forall k, (k < n)%nat -> f k <= g k) -> total f n <= total g n.
Proof.
  induction n as [|n IH]; intros E; [simpl; lra|]. simpl.
  assert (total f n <= total g n) by (apply IH; auto). specialize (E n (Nat.lt_succ_diag_r n)). lra.
Qed.

Lemma total_add f m n : total f (m + n) = total f m + total (fun s => f (m + s)%nat) n.
Proof.
  induction n as [|n IH]; [rewrite Nat.add_0_r; simpl; lra|].
  rewrite Nat.add_succ_r. simpl. rewrite IH. lra.
Qed.

(** More plays that pay at least as much each, and nothing below 0, pay at least as much. *)
Lemma total_of_more x y a b : (forall k, 0 <= y k <= x k) -> (b <= a)%nat -> total y b <= total x a.
Proof.
  intros H L. apply Rle_trans with (total x b).
  - apply total_order. intros k _. apply H.
  - replace a with (b + (a - b))%nat by lia. rewrite total_add.
    assert (P : forall n, 0 <= total (fun s => x (b + s)%nat) n).
    { induction n as [|n IH]; simpl; [lra|]. specialize (H (b + n)%nat). lra. }
    specialize (P (a - b)%nat). lra.
Qed.

(** ** Discounts *)

(** A discount is never negative and never increases. *)
Definition is_discount (g : nat -> R) : Prop :=
  (forall t, 0 <= g t) /\ (forall t, g (S t) <= g t).

Definition non_decreasing (U : R -> R) : Prop := forall a b, a <= b -> U a <= U b.

(** Where all plain sums are in order, all discounted ones are (summation by parts). *)
Theorem discounted_order g a b T : is_discount g ->
  (forall t, (t <= T)%nat -> total b t <= total a t) ->
  total (fun t => g t * b t) T <= total (fun t => g t * a t) T.
Proof.
  intros [G D] H.
  assert (K : forall t, (S t <= T)%nat -> g t * (total a (S t) - total b (S t))
                <= total (fun t => g t * a t) (S t) - total (fun t => g t * b t) (S t)).
  { induction t as [|t IH]; intros L; [simpl; lra|].
    specialize (IH ltac:(lia)). pose proof (H (S t) ltac:(lia)) as O. specialize (D t).
    assert (g (S t) * (total a (S t) - total b (S t)) <= g t * (total a (S t) - total b (S t)))
      by (apply Rmult_le_compat_r; lra).
    change (total a (S (S t))) with (total a (S t) + a (S t)).
    change (total b (S (S t))) with (total b (S t) + b (S t)).
    change (total (fun t => g t * a t) (S (S t)))
      with (total (fun t => g t * a t) (S t) + g (S t) * a (S t)).
    change (total (fun t => g t * b t) (S (S t)))
      with (total (fun t => g t * b t) (S t) + g (S t) * b (S t)).
    lra. }
  destruct T as [|t]; [simpl; lra|]. specialize (K t ltac:(lia)).
  pose proof (Rmult_le_pos _ _ (G t) (Rge_le _ _ (Rge_minus _ _ (Rle_ge _ _ (H (S t) (le_n _)))))).
  lra.
Qed.

(** ** Revenue of an agent *)

(** What agent [i] is paid in round [t], where its k-th own play pays [x k]. *)
Definition income (x : nat -> R) (p : nat -> nat) (i t : nat) : R :=
  if (p t =? i)%nat then x (plays p i t) else 0.

Definition revenue (g x : nat -> R) (p : nat -> nat) (i T : nat) : R :=
  total (fun t => g t * income x p i t) T.

Lemma total_income x p i t : total (income x p i) t = total x (plays p i t).
Proof.
  induction t as [|t IH]; [reflexivity|]. simpl. rewrite IH. unfold income.
  destruct (p t =? i)%nat.
  - rewrite Nat.add_1_r. simpl. lra.
  - rewrite Nat.add_0_r. lra.
Qed.

(** Fewer plays that pay less each: less revenue in every prefix of the game. *)
Lemma income_order x y p q i T : (forall k, 0 <= y k <= x k) ->
  (forall t, (t <= T)%nat -> (plays q i t <= plays p i t)%nat) ->
  forall t, (t <= T)%nat -> total (income y q i) t <= total (income x p i) t.
Proof.
  intros H L t Ht. rewrite !total_income. apply total_of_more; [exact H|apply L, Ht].
Qed.
