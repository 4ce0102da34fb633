(** Copies of an only arm leave the game as it was, path by path and in law.

    Nothing has to be monotone here. The rule for agents may see the round, everybody's rewards and
    random numbers; all that it does not see is which arm of an agent was played. *)
Require Import List Arith Lia Bool Reals Lra.
Import ListNotations.
Local Open Scope R_scope.

(** A game so far, the newest play first: owner, arm, reward. *)
Definition play : Type := (nat * nat * R)%type.

Definition owner (e : play) : nat := fst (fst e).
Definition seen (e : play) : nat * R := (owner e, snd e).
Definition arm_and_reward (e : play) : nat * R := (snd (fst e), snd e).

(** What the rule for agents sees, and what the rule inside agent [j] sees. *)
Definition visible (h : list play) : list (nat * R) := map seen h.
Definition own (j : nat) (h : list play) : list (nat * R) :=
  map arm_and_reward (filter (fun e => owner e =? j)%nat h).

Lemma own_length_visible j h :
  length (own j h) = length (filter (fun e => fst e =? j)%nat (visible h)).
Proof.
  unfold own, visible. rewrite map_length. induction h as [|e h IH]; [reflexivity|].
  simpl. destruct (owner e =? j)%nat; simpl; rewrite IH; reflexivity.
Qed.

Lemma own_of_other j e h : owner e <> j -> own j (e :: h) = own j h.
Proof. intros N. apply Nat.eqb_neq in N. unfold own. simpl. rewrite N. reflexivity. Qed.

Lemma own_cons j e h :
  own j (e :: h) = if (owner e =? j)%nat then arm_and_reward e :: own j h else own j h.
Proof. unfold own. simpl. destruct (owner e =? j)%nat; reflexivity. Qed.

(** ** Path by path *)

Section Paths.
  Variable outer : list (nat * R) -> nat.
  (** What the k-th play of agent [j] pays if it is of arm [a]: luck is keyed by agent and play. *)
  Variable pays : nat -> nat -> nat -> R.

  Fixpoint game (inner : nat -> list (nat * R) -> nat) (t : nat) : list play :=
    match t with
    | O => []
    | S s => let h := game inner s in
             let j := outer (visible h) in
             let a := inner j (own j h) in
             (j, a, pays j a (length (own j h))) :: h
    end.

  (** Agent [i] registers any number of copies under [inner], and any other under [inner'], each
      with a rule of its own among them: every arm pays the same at the same play. *)
  Theorem copies_leave_every_path (i : nat) (inner inner' : nat -> list (nat * R) -> nat) :
    (forall j past, j <> i -> inner' j past = inner j past) ->
    (forall a a' k, pays i a k = pays i a' k) ->
    forall t, visible (game inner' t) = visible (game inner t).
  Proof.
    intros Others Copies t.
    enough (visible (game inner' t) = visible (game inner t) /\
            forall j, j <> i -> own j (game inner' t) = own j (game inner t)) by tauto.
    induction t as [|t [E F]]; [split; reflexivity|]. simpl game. rewrite E.
    set (j := outer (visible (game inner t))).
    assert (L : forall k, length (own k (game inner' t)) = length (own k (game inner t)))
      by (intros k; rewrite !own_length_visible, E; reflexivity).
    destruct (Nat.eq_dec j i) as [Same|N].
    - split.
      + unfold visible in *. simpl. rewrite E, (L j). unfold seen at 1 3, owner at 1 2. simpl.
        rewrite Same, (Copies (inner' i (own i (game inner' t)))
                         (inner i (own i (game inner t)))). reflexivity.
      + intros k K. rewrite !own_of_other by (unfold owner; simpl; congruence). apply F, K.
    - rewrite (F j N), (Others j _ N). split.
      + unfold visible in *. simpl. rewrite E. reflexivity.
      + intros k K. rewrite !own_cons, (F k K). reflexivity.
  Qed.
End Paths.

(** ** In law *)

(** Finite laws: values with their weights. *)
Fixpoint mean_of {A : Type} (law : list (A * R)) (f : A -> R) : R :=
  match law with
  | [] => 0
  | (a, w) :: rest => w * f a + mean_of rest f
  end.

Definition is_law {A : Type} (law : list (A * R)) : Prop := mean_of law (fun _ => 1) = 1.

Lemma mean_of_ext {A : Type} (law : list (A * R)) f g :
  (forall a, f a = g a) -> mean_of law f = mean_of law g.
Proof. intros E. induction law as [|[a w] l IH]; simpl; [reflexivity|]. rewrite E, IH. reflexivity. Qed.

Lemma mean_of_constant {A : Type} (law : list (A * R)) c :
  is_law law -> mean_of law (fun _ => c) = c.
Proof.
  unfold is_law. intros H.
  assert (E : mean_of law (fun _ => c) = c * mean_of law (fun _ => 1)).
  { induction law as [|[a w] l IH] in |- *; simpl; [lra|]. rewrite IH. lra. }
  rewrite E, H. lra.
Qed.

Section Laws.
  (** The rule for agents draws an agent, the rule inside it draws an arm, and the arm draws a reward,
      independently of the past. *)
  Variable outer : list (nat * R) -> list (nat * R).
  Variable pays : nat -> nat -> list (R * R).

  (** The expectation of [f], a function of owners and rewards, over the next [t] rounds. *)
  Fixpoint expectation (inner : nat -> list (nat * R) -> list (nat * R))
    (f : list (nat * R) -> R) (t : nat) (h : list play) : R :=
    match t with
    | O => f (visible h)
    | S s => mean_of (outer (visible h)) (fun j =>
               mean_of (inner j (own j h)) (fun a =>
                 mean_of (pays j a) (fun r => expectation inner f s ((j, a, r) :: h))))
    end.

  (** So every law of owners and rewards is that of the game without copies, where the agent has any
      registration of copies of one arm, with any rule among them. *)
  Theorem copies_leave_the_law (i : nat) (only : list (R * R))
    (inner inner' : nat -> list (nat * R) -> list (nat * R)) (f : list (nat * R) -> R) :
    (forall j past, is_law (inner j past)) ->
    (forall j past, is_law (inner' j past)) ->
    (forall j past, j <> i -> inner' j past = inner j past) ->
    (forall a, pays i a = only) ->
    forall t, expectation inner' f t [] = expectation inner f t [].
  Proof.
    intros Law Law' Others Copies t.
    enough (G : forall t h h', visible h' = visible h ->
      (forall j, j <> i -> own j h' = own j h) ->
      expectation inner' f t h' = expectation inner f t h) by (apply G; reflexivity).
    clear t. induction t as [|t IH]; intros h h' E F; simpl; [rewrite E; reflexivity|].
    rewrite E. apply mean_of_ext. intros j. destruct (Nat.eq_dec j i) as [Same|N].
    - subst j.
      assert (K : forall a a' r, expectation inner' f t ((i, a', r) :: h')
                    = expectation inner f t ((i, a, r) :: h)).
      { intros a a' r. apply IH.
        - unfold visible in *. simpl. rewrite E. reflexivity.
        - intros k N. rewrite !own_of_other by (unfold owner; simpl; congruence). apply F, N. }
      transitivity (mean_of only (fun r => expectation inner f t ((i, 0%nat, r) :: h))).
      + rewrite <- (mean_of_constant (inner' i (own i h'))
          (mean_of only (fun r => expectation inner f t ((i, 0%nat, r) :: h)))) by apply Law'.
        apply mean_of_ext. intros a. rewrite Copies. apply mean_of_ext. intros r. apply K.
      + symmetry. rewrite <- (mean_of_constant (inner i (own i h))
          (mean_of only (fun r => expectation inner f t ((i, 0%nat, r) :: h)))) by apply Law.
        apply mean_of_ext. intros a. rewrite Copies. apply mean_of_ext. intros r.
        rewrite <- (K a 0%nat r). apply K.
    - rewrite (F j N), (Others j _ N). apply mean_of_ext. intros a. apply mean_of_ext. intros r.
      apply IH.
      + unfold visible in *. simpl. rewrite E. reflexivity.
      + intros k K. rewrite !own_cons, (F k K). reflexivity.
  Qed.
End Laws.
