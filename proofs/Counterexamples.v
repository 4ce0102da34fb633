(** A counterexample to each dropped condition: small games, decided by computation.

    Agent 0 compares two strategies: under the first its k-th play pays [x k], under the other [y k].
    The pathwise theorem says that the other one never earns more ([nobody_is_ahead]). In every game
    below one condition is missing, and the other strategy earns more. Rewards and indices are
    integers. *)
Require Import List Arith Lia Bool ZArith Reals Lra.
Require Import Copyproof.Game Copyproof.Revenue Copyproof.Pathwise.
Import ListNotations.
Local Open Scope Z_scope.

(** ** Integer games *)

Lemma integer_order : total_preorder Z.leb.
Proof.
  split; intros; rewrite ?Z.leb_le in *; lia.
Qed.

(** What agent [i] earns in [T] rounds, where round [t] weighs [w t]. *)
Fixpoint earned (w x : nat -> Z) (p : nat -> nat) (i T : nat) : Z :=
  match T with
  | O => 0
  | S t => earned w x p i t + (if Nat.eqb (p t) i then w t * x (plays p i t) else 0)
  end.

Definition integers (w : nat -> Z) (k : nat) : R := IZR (w k).
Definition equal_weights (t : nat) : Z := 1.

Lemma revenue_of_integers w x p i T :
  revenue (integers w) (integers x) p i T = IZR (earned w x p i T).
Proof.
  unfold revenue, integers. induction T as [|t IH]; [reflexivity|]. simpl. rewrite IH, plus_IZR.
  unfold income. destruct (p t =? i)%nat; [rewrite mult_IZR|]; simpl; lra.
Qed.

Definition up_to (a b : Z) : Prop := 0 <= a <= b.

(** Agent 0 earns more with the other strategy: [I] and [I'] are the indices under the two. *)
Definition is_ahead_weighted (w : nat -> Z) (agents : list nat) (I I' : nat -> nat -> nat -> Z)
  (x y : nat -> Z) (T : nat) : Prop :=
  exists p q, follows Z.leb (fun j => j) agents I T p /\ follows Z.leb (fun j => j) agents I' T q /\
    (revenue (integers w) (integers x) p 0 T < revenue (integers w) (integers y) q 0 T)%R.

Definition is_ahead := is_ahead_weighted equal_weights.

(** With all conditions it never does. *)
Theorem nobody_is_ahead agents (J : nat -> nat -> Z) (index : list Z -> Z) (x y : nat -> Z) w T :
  (forall a b, Forall2 up_to a b -> index a <= index b) ->
  (forall k, 0 <= y k <= x k) ->
  (forall t, 0 <= w (S t) <= w t) ->
  ~ is_ahead_weighted w agents (indices 0 J (fun k _ => index (firsts x k)))
      (indices 0 J (fun k _ => index (firsts y k))) x y T.
Proof.
  intros Mono H W [p [q [P [Q L]]]]. apply (Rlt_not_le _ _ L).
  refine (proj2 (pathwise_prompt Z.leb integer_order (fun j => j) agents 0 J IZR up_to _ index _
    x y T p q (integers w) (fun v => v) H P Q _ _)).
  - intros a b [A B]. split; apply IZR_le; assumption.
  - intros a b F. apply Z.leb_le, Mono, F.
  - split; intros t; apply IZR_le; specialize (W t); lia.
  - intros a b L'. exact L'.
Qed.

(** The course that follows the rule, computed. *)
Definition computed (first : nat) (rest : list nat) (I : nat -> nat -> nat -> Z) : nat -> nat :=
  course (pick_leader Z.leb (fun j => j) first rest I).

Lemma ahead_by_computation w first rest I I' x y T :
  earned w x (computed first rest I) 0 T < earned w y (computed first rest I') 0 T ->
  is_ahead_weighted w (first :: rest) I I' x y T.
Proof.
  intros H. exists (computed first rest I), (computed first rest I').
  split; [|split]; try (apply course_follows; [exact integer_order|auto]).
  rewrite !revenue_of_integers. apply IZR_lt, H.
Qed.

Ltac entries := intros [|[|[|[|[|[|k]]]]]]; vm_compute; repeat split; discriminate.
Ltac computed_case :=
  repeat match goal with
    | |- _ /\ _ => split
    | |- is_ahead _ _ _ _ _ _ => apply ahead_by_computation; vm_compute; reflexivity
    | |- is_ahead_weighted _ _ _ _ _ _ _ => apply ahead_by_computation; vm_compute; reflexivity
    | |- forall k, _ => entries
    | |- let _ := _ in _ => intros ?
    end.

(** ** Indices used below *)

(** The last reward; an unplayed agent has index 9, above all others. *)
Definition last_reward (rewards : list Z) : Z := last rewards 9.

Lemma last_reward_monotone a b : Forall2 up_to a b -> last_reward a <= last_reward b.
Proof.
  unfold last_reward. induction 1 as [|u v a b H F IH]; [apply Z.le_refl|].
  destruct F as [|u' v' a b H' F]; simpl in *; [unfold up_to in H; lia|exact IH].
Qed.

(** The entries of a list, and its last one for ever. *)
Fixpoint listed (l : list Z) (k : nat) : Z :=
  match l with
  | [] => 0
  | [a] => a
  | a :: rest => match k with O => a | S n => listed rest n end
  end.

Definition by_last (x : nat -> Z) (k : nat) : Z := last_reward (firsts x k).

(** ** The index of the agent *)

(** An index that decreases in a reward: agent 1 has index -3, and agent 0 minus its last reward. *)
Example decreasing_index :
  let index l := match l with [] => 9 | _ => - last l 0 end in
  let indices_of x := indices 0 (fun _ _ => -3) (fun k _ => index (firsts x k)) in
  let x := listed [4] in let y := listed [2] in
  (forall k, 0 <= y k <= x k) /\ is_ahead [0; 1]%nat (indices_of x) (indices_of y) x y 4.
Proof. computed_case. Qed.

(** An index that sees how many arms the agent has: one more copy of the only arm, and it is raised. *)
Example index_sees_the_number_of_arms :
  let indices_of x arms :=
    indices 0 (fun _ k => match k with O => 9 | _ => 4 end) (fun k _ => by_last x k + arms) in
  let x := listed [2] in
  is_ahead [0; 1]%nat (indices_of x 1) (indices_of x 2) x x 6.
Proof. computed_case. Qed.

(** ** Rewards *)

(** Rewards below 0: the better arm is played more often, and loses more. *)
Example rewards_below_zero :
  let indices_of x := indices 0 (fun _ _ => -2) (fun k _ => by_last x k) in
  let x := listed [-1] in let y := listed [-3] in
  (forall k, y k <= x k) /\ is_ahead [0; 1]%nat (indices_of x) (indices_of y) x y 5.
Proof. computed_case. Qed.

(** No arm that dominates the others: the other arm may pay more at some play. *)
Example no_dominating_arm :
  let indices_of x := indices 0 (fun _ _ => 1) (fun k _ => by_last x k) in
  let x := listed [2; 2; 0] in let y := listed [3; 3; 0] in
  is_ahead [0; 1]%nat (indices_of x) (indices_of y) x y 4.
Proof. computed_case. Qed.

(** ** What the rivals' indices see *)

(** The round: of three agents, agent 2 has index 5 in round 2, until it is played, and 8 from then
    on; the index of agent 1 is 3, then 7, then 0. *)
Example rivals_see_the_round :
  let J j k t :=
    if (j =? 1)%nat then listed [3; 7; 0] k
    else match k with O => if (t =? 2)%nat then 5 else 0 | _ => 8 end in
  let indices_of x := fun j k t => if (j =? 0)%nat then by_last x k else J j k t in
  let x := listed [4] in let y := listed [2] in
  (forall k, 0 <= y k <= x k) /\ is_ahead [0; 1; 2]%nat (indices_of x) (indices_of y) x y 8.
Proof. computed_case. Qed.

(** The number of agents: if agent 0 registers after the start, n is 1 for the whole game, and the
    index of agent 1, which is 2n here, is lower. Both strategies have the same arm. *)
Example late_registration_changes_n :
  let indices_of x n := indices 0 (fun _ _ => 2 * n) (fun k _ => by_last x k) in
  let x := listed [3] in
  is_ahead [0; 1]%nat (indices_of x 2) (indices_of x 1) x x 4.
Proof. computed_case. Qed.

(** ** Discounts *)

(** A discount that increases: with the other strategy agent 0 is played later, and later plays weigh
    more. The index of agent 1 falls after three plays. *)
Example increasing_discount :
  let index l := match l with [] => 9 | [r] => r | _ => -2 end in
  let indices_of x :=
    indices 0 (fun _ k => if (k <? 3)%nat then 2 else -1) (fun k _ => index (firsts x k)) in
  let x := listed [3] in let y := listed [1; 3] in
  (forall k, 0 <= y k <= x k) /\
  is_ahead_weighted Z.of_nat [0; 1]%nat (indices_of x) (indices_of y) x y 5.
Proof. computed_case. Qed.
