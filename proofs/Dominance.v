(** First-order dominance in the game as it is played, from the order of re-keyed paths. *)
Require Import List Arith Lia Bool Reals Lra.
Require Import Copyproof.Game Copyproof.Revenue Copyproof.Pathwise Copyproof.Copies.
Require Import Copyproof.Rekeying.
Import ListNotations.
Local Open Scope R_scope.

Section Dominance.
  Context {S : Type} (law : list (S * R)).
  Hypothesis weights : forall s w, In (s, w) law -> 0 <= w.
  Hypothesis whole : is_law law.
  Context {O : Type} (worth : O -> R) (below : O -> O -> Prop).
  Hypothesis below_worth : forall a b, below a b -> 0 <= worth a <= worth b.
  Context {V : Type} (le : V -> V -> bool) (order : total_preorder le).
  Variable rank : nat -> nat.
  Variable first : nat.
  Variable rest : list nat.
  Hypothesis distinct : NoDup (first :: rest).
  Hypothesis rank_strict : forall i j, In i (first :: rest) -> In j (first :: rest) ->
    rank i = rank j -> i = j.
  (** The index of agent [j] sees its own outcomes, the oldest first. *)
  Variable index : nat -> list O -> V.
  Variable i : nat.
  Hypothesis monotone : forall a b, Forall2 below a b -> le (index i a) (index i b) = true.

  Definition largest_index (h : list (nat * O)) : nat :=
    leader (fun a b => beats le rank (index a (rev (past_of a h))) a (index b (rev (past_of b h))) b)
      first rest.

  Lemma largest_index_in h : In (largest_index h) (first :: rest).
  Proof. apply leader_in. Qed.

  Lemma course_follows_rule (out : process) (table : key -> S) (T : nat) :
    follows le rank (first :: rest)
      (fun j k _ => index j (firsts (stream out table j) k)) T (course largest_index out table).
  Proof.
    intros t _. split; [apply largest_index_in|]. intros j Hj N.
    assert (E : forall a, index a (rev (past_of a (history largest_index out table t)))
              = index a (firsts (stream out table a) (plays (course largest_index out table) a t)))
      by (intros a; rewrite past_is_stream, stream_past_firsts; reflexivity).
    rewrite <- !E. unfold course in N |- * at 1 3. unfold largest_index in N |- *.
    apply (leader_beats (fun a b => beats le rank
      (index a (rev (past_of a (history largest_index out table t)))) a
      (index b (rev (past_of b (history largest_index out table t)))) b)); auto.
    - intros a b c. apply beats_transitive, order.
    - intros a b Ha Hb D. apply beats_total. intros R. apply D, rank_strict; assumption.
  Qed.

  (** Two strategies of agent [i], as processes that agree on all other agents. Each meets the same
      luck at the same own play, and then the first pays at least as much at every play. *)
  Variables out out' : @process S O.
  Hypothesis same_others : forall j past s, j <> i -> out' j past s = out j past s.
  Hypothesis pays_no_less : forall table, (forall a, supported law (table a)) ->
    forall k, below (stream out' table i k) (stream out table i k).

  Lemma same_streams table j k : j <> i -> stream out' table j k = stream out table j k.
  Proof.
    intros N.
    assert (E : forall n, stream_past out' table j n = stream_past out table j n).
    { induction n as [|n IH]; simpl; [reflexivity|]. rewrite IH, same_others by exact N. reflexivity. }
    unfold stream. rewrite E, same_others by exact N. reflexivity.
  Qed.

  (** On every path of the re-keyed game. *)
  Theorem order_of_rekeyed_paths (table : key -> S) (g : nat -> R) (U : R -> R) (T : nat) :
    (forall a, supported law (table a)) -> is_discount g -> non_decreasing U ->
    (forall t, (t <= T)%nat -> (plays (course largest_index out' table) i t
                                <= plays (course largest_index out table) i t)%nat) /\
    U (paid g worth i (history largest_index out' table T))
      <= U (paid g worth i (history largest_index out table T)).
  Proof.
    intros P G HU. rewrite !paid_is_revenue.
    assert (F : forall o, (forall j k, j <> i -> stream o table j k = stream out table j k) ->
      follows le rank (first :: rest) (indices i (fun j k => index j (firsts (stream out table j) k))
        (fun k _ => index i (firsts (stream o table i) k))) T (course largest_index o table)).
    { intros o Same t L. destruct (course_follows_rule o table T t L) as [H B]. split; [exact H|].
      intros j Hj N. specialize (B j Hj N).
      assert (E : forall a k, indices i (fun j k => index j (firsts (stream out table j) k))
        (fun k _ => index i (firsts (stream o table i) k)) a k t
        = index a (firsts (stream o table a) k)).
      { intros a k. unfold indices. destruct (Nat.eq_dec a i) as [E|D].
        - subst a. rewrite Nat.eqb_refl. reflexivity.
        - pose proof D as D'. apply Nat.eqb_neq in D'. rewrite D'. f_equal. unfold firsts.
          apply map_ext. intros m. symmetry. apply Same, D. }
      rewrite !E. exact B. }
    exact (pathwise_prompt le order rank (first :: rest) i _ worth below below_worth (index i)
             monotone (stream out table i) (stream out' table i) T _ _ g U (pays_no_less table P)
             (F out (fun j k _ => eq_refl)) (F out' (fun j k N => same_streams table j k N)) G HU).
  Qed.

  (** In the game as it is played: the mean of every non-decreasing function of the revenue is at
      least as large, which is first-order dominance. *)
  Theorem dominance_as_played (g : nat -> R) (U : R -> R) (T : nat) :
    is_discount g -> non_decreasing U ->
    played law largest_index out' (fun h => U (paid g worth i h)) T []
      <= played law largest_index out (fun h => U (paid g worth i h)) T [].
  Proof.
    intros G HU. destruct (some_supported law whole) as [luck L].
    rewrite <- !(one_law law whole largest_index (first :: rest) largest_index_in distinct _ _
                   (fun _ => luck)).
    apply over_order; [exact weights|intros _; exact L|]. intros table P.
    exact (proj2 (order_of_rekeyed_paths table g U T P G HU)).
  Qed.
End Dominance.
