(** The game: agents are chosen by the largest index, ties by one priority order.

    Rounds, own plays and agents are natural numbers from 0. A course of play [p] says which agent
    is played in each round. Nothing is said here of arms: an agent's arms enter through what its
    k-th own play pays ([Coupling], [Rekeying]). *)
Require Import List Arith Lia Bool.
Import ListNotations.

(** ** Index values *)

(** Index values live in any type with a total preorder, decided by [le]. *)
Record total_preorder {V : Type} (le : V -> V -> bool) : Prop := {
  is_total : forall a b, le a b = true \/ le b a = true;
  is_transitive : forall a b c, le a b = true -> le b c = true -> le a c = true }.

(** ** Plays *)

(** The plays of agent [j] before round [t]. *)
Fixpoint plays (p : nat -> nat) (j t : nat) : nat :=
  match t with
  | 0 => 0
  | S s => plays p j s + (if p s =? j then 1 else 0)
  end.

Lemma plays_at_most p j t : plays p j t <= t.
Proof. induction t as [|t IH]; simpl; [lia|]. destruct (p t =? j); lia. Qed.

Lemma plays_up p j s t : s <= t -> plays p j s <= plays p j t.
Proof. induction 1 as [|t _ IH]; [lia|]. simpl. lia. Qed.

Lemma plays_of_played p j s : p s = j -> plays p j (S s) = S (plays p j s).
Proof. intros E. simpl. rewrite E, Nat.eqb_refl. lia. Qed.

Lemma plays_of_unplayed p j s : p s <> j -> plays p j (S s) = plays p j s.
Proof. intros E. simpl. apply Nat.eqb_neq in E. rewrite E. lia. Qed.

Lemma plays_ext p q T : (forall t, t < T -> p t = q t) ->
  forall j t, t <= T -> plays p j t = plays q j t.
Proof.
  intros E j t. induction t as [|t IH]; intros L; [reflexivity|].
  simpl. rewrite IH, E by lia. reflexivity.
Qed.

(** ** The rule *)

Section Rule.
  Context {V : Type} (le : V -> V -> bool).
  Variable rank : nat -> nat.       (* the priority order: drawn once, at the start *)
  Variable agents : list nat.

  (** Index [a] of agent [i] beats index [b] of agent [j]: it is larger, or it is equal and [i]
      has priority. *)
  Definition beats (a : V) (i : nat) (b : V) (j : nat) : bool :=
    negb (le a b) || (le b a && (rank i <? rank j)).

  (** [I j k t] is the index of agent [j] after [k] own plays, in round [t]. Course [p] follows the
      rule for [T] rounds if the agent that is played beats every other agent. *)
  Definition follows (I : nat -> nat -> nat -> V) (T : nat) (p : nat -> nat) : Prop :=
    forall t, t < T -> In (p t) agents /\
      forall j, In j agents -> j <> p t ->
        beats (I (p t) (plays p (p t) t) t) (p t) (I j (plays p j t) t) j = true.

  Hypothesis order : total_preorder le.

  Lemma beats_asymmetric a i b j : beats a i b j = true -> beats b j a i = true -> False.
  Proof.
    unfold beats. destruct (le a b) eqn:E, (le b a) eqn:F; simpl; intros H K; try discriminate.
    - apply Nat.ltb_lt in H. apply Nat.ltb_lt in K. lia.
    - destruct (is_total le order a b); congruence.
  Qed.

  Lemma beats_raised a a' i b j : le a a' = true -> beats a i b j = true -> beats a' i b j = true.
  Proof.
    unfold beats. intros L H. destruct (le a' b) eqn:E; simpl; [|reflexivity].
    rewrite (is_transitive le order a a' b L E) in H. simpl in H.
    apply andb_true_iff in H. destruct H as [F H].
    rewrite (is_transitive le order b a a' F L). exact H.
  Qed.

  Lemma beats_transitive a i b j c k :
    beats a i b j = true -> beats b j c k = true -> beats a i c k = true.
  Proof.
    unfold beats. intros H K. destruct (le a c) eqn:AC; simpl; [|reflexivity].
    destruct (le a b) eqn:AB; simpl in H.
    - apply andb_true_iff in H. destruct H as [BA H]. destruct (le b c) eqn:BC; simpl in K.
      + apply andb_true_iff in K. destruct K as [CB K].
        rewrite (is_transitive le order c b a CB BA). simpl.
        apply Nat.ltb_lt in H. apply Nat.ltb_lt in K. apply Nat.ltb_lt. lia.
      + rewrite (is_transitive le order b a c BA AC) in BC. discriminate.
    - destruct (le b c) eqn:BC; simpl in K.
      + apply andb_true_iff in K. destruct K as [CB _].
        rewrite (is_transitive le order a c b AC CB) in AB. discriminate.
      + destruct (is_total le order b a) as [BA|]; [|congruence].
        rewrite (is_transitive le order b a c BA AC) in BC. discriminate.
  Qed.

  Lemma beats_total a i b j : rank i <> rank j -> beats a i b j = false -> beats b j a i = true.
  Proof.
    unfold beats. intros N. destruct (le a b) eqn:E, (le b a) eqn:F; simpl; try discriminate;
      try reflexivity.
    - intros H. apply Nat.ltb_ge in H. apply Nat.ltb_lt. lia.
  Qed.

  (** The rule leaves no choice: two courses that follow it are one. *)
  Theorem unique_course I T p q : follows I T p -> follows I T q ->
    forall t, t < T -> p t = q t.
  Proof.
    intros P Q t. induction t as [t IH] using lt_wf_ind. intros L.
    destruct (Nat.eq_dec (p t) (q t)) as [|N]; [assumption|exfalso].
    assert (E : forall j, plays p j t = plays q j t).
    { intros j. apply (plays_ext p q t); [|lia]. intros s Hs. apply IH; lia. }
    destruct (P t L) as [In1 B1]. destruct (Q t L) as [In2 B2].
    specialize (B1 (q t) In2 (not_eq_sym N)). specialize (B2 (p t) In1 N).
    rewrite !E in B1. exact (beats_asymmetric _ _ _ _ B1 B2).
  Qed.
End Rule.

(** ** The course that follows the rule *)

(** The agent that beats the others, where [better i j] says that [i] beats [j]. *)
Fixpoint leader (better : nat -> nat -> bool) (first : nat) (rest : list nat) : nat :=
  match rest with
  | [] => first
  | j :: others => leader better (if better j first then j else first) others
  end.

Lemma leader_ext better better' rest : (forall i j, better i j = better' i j) ->
  forall first, leader better first rest = leader better' first rest.
Proof.
  intros E. induction rest as [|j rest IH]; intros first; [reflexivity|].
  simpl. rewrite E. apply IH.
Qed.

Lemma leader_in better rest : forall first, In (leader better first rest) (first :: rest).
Proof.
  induction rest as [|j rest IH]; intros first; [left; reflexivity|]. simpl leader.
  destruct (better j first).
  - right. apply IH.
  - destruct (IH first) as [E|E]; [left; exact E|right; right; exact E].
Qed.

Lemma leader_beats better :
  (forall i j k, better i j = true -> better j k = true -> better i k = true) ->
  forall rest first,
  (forall i j, In i (first :: rest) -> In j (first :: rest) -> i <> j ->
     better i j = false -> better j i = true) ->
  forall j, In j (first :: rest) -> j <> leader better first rest ->
    better (leader better first rest) j = true.
Proof.
  intros Tr. induction rest as [|k rest IH]; intros first Tot j Hj N.
  - destruct Hj as [E|[]]. simpl in N. congruence.
  - simpl leader in *. set (w := if better k first then k else first) in *.
    assert (Ww : In w (first :: k :: rest)) by (unfold w; destruct (better k first); simpl; auto).
    assert (Sub : forall a, In a (w :: rest) -> In a (first :: k :: rest)).
    { intros a [E|E]; [subst a; exact Ww|simpl; auto]. }
    assert (Tot' : forall a b, In a (w :: rest) -> In b (w :: rest) -> a <> b ->
              better a b = false -> better b a = true) by (intros; apply Tot; auto).
    destruct (Nat.eq_dec j w) as [E|E].
    + apply (IH w Tot'); [left; congruence|exact N].
    + destruct Hj as [H|[H|H]].
      3:{ apply (IH w Tot'); [right; exact H|exact N]. }
      1,2: assert (B : better w j = true) by
        (unfold w in *; destruct (better k first) eqn:F; subst j; try congruence;
         apply Tot; simpl; auto; congruence).
      1,2: destruct (Nat.eq_dec (leader better w rest) w) as [M|M]; [congruence|];
        apply (Tr _ w _); [|exact B];
        apply (IH w Tot' w); [left; reflexivity|congruence].
Qed.

(** Any way to pick the next agent, by the agents that were played so far (the last one first), makes
    one course. *)
Section Course.
  Variable pick : list nat -> nat.

  Definition count (j : nat) (past : list nat) : nat :=
    fold_right (fun a n => n + (if a =? j then 1 else 0)) 0 past.

  Fixpoint past (t : nat) : list nat :=
    match t with
    | 0 => []
    | S s => pick (past s) :: past s
    end.

  Definition course (t : nat) : nat := pick (past t).

  Lemma course_plays j t : plays course j t = count j (past t).
  Proof. induction t as [|t IH]; [reflexivity|]. simpl. rewrite IH. reflexivity. Qed.

  Lemma past_length t : length (past t) = t.
  Proof. induction t as [|t IH]; simpl; congruence. Qed.
End Course.

(** What the rule picks. *)
Definition pick_leader {V : Type} (le : V -> V -> bool) (rank : nat -> nat) (first : nat)
  (rest : list nat) (I : nat -> nat -> nat -> V) (h : list nat) : nat :=
  leader (fun i j => beats le rank (I i (count i h) (length h)) i (I j (count j h) (length h)) j)
    first rest.

(** The statements about courses that follow the rule are not empty: here is one. *)
Theorem course_follows {V : Type} (le : V -> V -> bool) (rank : nat -> nat) first rest
  (I : nat -> nat -> nat -> V) :
  total_preorder le ->
  (forall i j, In i (first :: rest) -> In j (first :: rest) -> rank i = rank j -> i = j) ->
  forall T, follows le rank (first :: rest) I T (course (pick_leader le rank first rest I)).
Proof.
  intros O Inj T t _. set (p := course (pick_leader le rank first rest I)).
  set (better := fun i j => beats le rank (I i (plays p i t) t) i (I j (plays p j t) t) j).
  assert (E : p t = leader better first rest).
  { unfold p, course, pick_leader. apply leader_ext. intros i j. unfold better, p.
    rewrite !course_plays, !past_length. reflexivity. }
  rewrite E. split; [apply leader_in|]. intros j Hj N. apply (leader_beats better); auto.
  - intros a b c. apply beats_transitive. exact O.
  - intros a b Ha Hb D. apply beats_total. intros R. apply D. apply Inj; auto.
Qed.
