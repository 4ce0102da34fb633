(** Epochs: games one after the other, of lengths fixed beforehand, each of which forgets all.

    The live default is such a policy: it restarts at rounds that nobody can move. *)
Require Import List Arith Lia Bool Reals Lra.
Require Import Copyproof.Game Copyproof.Revenue Copyproof.Pathwise.
Import ListNotations.

Section Epochs.
  Variable length : nat -> nat.                 (* of epoch e, fixed beforehand *)
  Hypothesis some_rounds : forall e, 0 < length e.

  (** The first round of an epoch. *)
  Fixpoint start (e : nat) : nat :=
    match e with
    | 0 => 0
    | S d => start d + length d
    end.

  (** The epoch of a round, and the round within it. *)
  Fixpoint place (t : nat) : nat * nat :=
    match t with
    | 0 => (0, 0)
    | S s => let (e, r) := place s in if S r <? length e then (e, S r) else (S e, 0)
    end.

  Lemma place_of_round t : t = start (fst (place t)) + snd (place t) /\
    snd (place t) < length (fst (place t)).
  Proof.
    induction t as [|t [E L]]; simpl; [split; [reflexivity|apply some_rounds]|].
    destruct (place t) as [e r]. simpl in E, L. destruct (S r <? length e) eqn:F; simpl.
    - apply Nat.ltb_lt in F. split; lia.
    - apply Nat.ltb_ge in F. split; [lia|apply some_rounds].
  Qed.

  Lemma place_in_epoch e r : r < length e -> place (start e + r) = (e, r).
  Proof.
    intros L. destruct (place_of_round (start e + r)) as [E F].
    destruct (place (start e + r)) as [d s]. simpl in E, F.
    assert (Up : forall a b, a < b -> start a + length a <= start b).
    { intros a b H. induction H as [|b _ IH]; simpl; [lia|]. specialize (some_rounds b). lia. }
    destruct (Nat.lt_trichotomy d e) as [H|[H|H]].
    - specialize (Up d e H). lia.
    - subst d. f_equal. lia.
    - specialize (Up e d H). lia.
  Qed.

  (** The course within epoch [e]. *)
  Definition course_of (e : nat) (p : nat -> nat) : nat -> nat := fun r => p (start e + r).

  (** What agent [i] is paid in each round of the whole game. Its k-th play in epoch [e] pays
      [x e k]: luck is keyed by epoch and play in the epoch. *)
  Definition epochs_income (x : nat -> nat -> R) (p : nat -> nat) (i t : nat) : R :=
    let (e, r) := place t in income (x e) (course_of e p) i r.

  Local Open Scope R_scope.

  (** Where every epoch's prefix sums are in order, so are those of the whole game. *)
  Lemma prefix_order (a b : nat -> R) :
    (forall e r, (r <= length e)%nat ->
       total (fun s => b (start e + s)%nat) r <= total (fun s => a (start e + s)%nat) r) ->
    forall t, total b t <= total a t.
  Proof.
    intros H.
    assert (W : forall e, total b (start e) <= total a (start e)).
    { induction e as [|e IH]; [simpl; lra|]. simpl start. rewrite !total_add.
      specialize (H e (length e) (le_n _)). lra. }
    intros t. destruct (place_of_round t) as [E L].
    destruct (place t) as [e r]. simpl in E, L. rewrite E, !total_add.
    specialize (W e). specialize (H e r ltac:(lia)). lra.
  Qed.

  (** Every epoch has its own agents, priority order, indices and streams; those of the others are
      the same under both strategies. So is the index of the agent, as a function of its outcomes:
      it has an arm at the start of every epoch, so that n is the same. *)
  Theorem pathwise_over_epochs {V : Type} (le : V -> V -> bool) (order : total_preorder le)
    (rank : nat -> nat -> nat) (agents : nat -> list nat) (i : nat) (J : nat -> nat -> nat -> V)
    {O : Type} (worth : O -> R) (below : O -> O -> Prop) (index : nat -> list O -> V)
    (bottom : V) (x y : nat -> nat -> O) (reported : nat -> nat -> nat -> O)
    (away : nat -> nat -> bool) (p q : nat -> nat) (g : nat -> R) (U : R -> R) (T : nat) :
    (forall a b, below a b -> 0 <= worth a <= worth b) ->
    (forall e a b, Forall2 below a b -> le (index e a) (index e b) = true) ->
    (forall a, le bottom a = true) ->
    (forall e k, below (y e k) (x e k)) ->
    (forall e k r, below (reported e k r) (x e k)) ->
    (forall e, follows le (rank e) (agents e)
       (indices i (J e) (fun k _ => index e (firsts (x e) k))) (length e) (course_of e p)) ->
    (forall e, follows le (rank e) (agents e)
       (indices i (J e) (fun k r => if away e r then bottom
          else index e (firsts (fun n => reported e n r) k))) (length e) (course_of e q)) ->
    is_discount g -> non_decreasing U ->
    U (total (fun t => g t * epochs_income (fun e k => worth (y e k)) q i t) T)
      <= U (total (fun t => g t * epochs_income (fun e k => worth (x e k)) p i t) T).
  Proof.
    intros Worth Mono Low Hxy Hrep P Q G HU. apply HU, discounted_order; [exact G|].
    intros t _. apply prefix_order. intros e r L.
    assert (E : forall z c, total (fun s => epochs_income z c i (start e + s)%nat) r
                  = total (income (z e) (course_of e c) i) r).
    { intros z c. apply total_ext. intros s Hs. unfold epochs_income.
      rewrite place_in_epoch by lia. reflexivity. }
    rewrite !E. apply (income_order _ _ _ _ _ (length e)); [|intros s Hs|exact L].
    - intros k. apply Worth, Hxy.
    - refine (proj1 (pathwise le order (rank e) (agents e) i (J e) worth below Worth (index e)
        (Mono e) bottom (x e) (y e) (reported e) (away e) (length e) _ _ g U Low (Hxy e)
        (Hrep e) (P e) (Q e) G HU) s Hs).
  Qed.
End Epochs.
