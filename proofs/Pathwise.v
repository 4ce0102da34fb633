(** The pathwise theorem, with lateness and absences of the one agent. *)
Require Import List Arith Lia Bool Reals Lra.
Require Import Copyproof.Game Copyproof.Revenue.
Import ListNotations.

(** ** The order of plays *)

Section Order.
  Context {V : Type} (le : V -> V -> bool) (order : total_preorder le).
  Variable rank : nat -> nat.
  Variable agents : list nat.
  Variable i : nat.                      (* the agent whose strategies are compared *)
  Variables I I' : nat -> nat -> nat -> V.
  Variable J : nat -> nat -> V.          (* the others' indices see neither the round nor agent i *)
  Variable T : nat.
  Variables p p' : nat -> nat.
  Hypothesis course_p : follows le rank agents I T p.
  Hypothesis course_p' : follows le rank agents I' T p'.
  Hypothesis others : forall j k t, j <> i -> I j k t = J j k.
  Hypothesis others' : forall j k t, j <> i -> I' j k t = J j k.

  (** The plays of the others among themselves are one fixed sequence: after as many of them, each
      of them has as many plays. *)
  Lemma others_in_one_order : forall n t t', t + t' <= n -> t <= T -> t' <= T ->
    t - plays p i t = t' - plays p' i t' -> forall j, j <> i -> plays p j t = plays p' j t'.
  Proof.
    induction n as [n IH] using lt_wf_ind. intros t t' N L L' E j Hj.
    destruct t as [|s]; [destruct t' as [|s']; [reflexivity|]|].
    - pose proof (plays_at_most p' i s'). destruct (Nat.eq_dec (p' s') i) as [F|F].
      + rewrite (plays_of_unplayed p' j s') by congruence. rewrite plays_of_played in E by exact F.
        apply (IH s'); auto; lia.
      + rewrite plays_of_unplayed in E by exact F. cbn [plays] in E. lia.
    - pose proof (plays_at_most p i s). destruct (Nat.eq_dec (p s) i) as [F|F].
      + rewrite (plays_of_unplayed p j s) by congruence. rewrite plays_of_played in E by exact F.
        apply (IH (s + t')); auto; lia.
      + rewrite (plays_of_unplayed p i s F) in E.
        destruct t' as [|s']; [cbn [plays] in E; lia|]. pose proof (plays_at_most p' i s').
        destruct (Nat.eq_dec (p' s') i) as [F'|F'].
        * rewrite (plays_of_unplayed p' j s') by congruence.
          rewrite plays_of_played in E by exact F'.
          apply (IH (S s + s')); auto; try lia. rewrite (plays_of_unplayed p i s F). lia.
        * rewrite (plays_of_unplayed p' i s' F') in E.
          assert (Q : forall a, a <> i -> plays p a s = plays p' a s')
            by (intros a Ha; apply (IH (s + s')); auto; lia).
          assert (W : p s = p' s').
          { destruct (Nat.eq_dec (p s) (p' s')) as [|D]; [assumption|exfalso].
            destruct (course_p s ltac:(lia)) as [In1 B1].
            destruct (course_p' s' ltac:(lia)) as [In2 B2].
            specialize (B1 (p' s') In2 (not_eq_sym D)). specialize (B2 (p s) In1 D).
            rewrite (others _ _ _ F), (others (p' s')) in B1 by exact F'.
            rewrite (others' _ _ _ F'), (others' (p s)), <- (Q _ F), <- (Q _ F') in B2 by exact F.
            exact (beats_asymmetric le rank order _ _ _ _ B1 B2). }
          simpl. rewrite W, (Q j Hj). reflexivity.
  Qed.

  (** Let agent [i]'s index be nowhere below under [I], at equal numbers of own plays. It may see
      the round: late rewards and absences enter here. Then its k-th play comes no later. *)
  Hypothesis raised : forall k t, k <= t -> t < T -> le (I' i k t) (I i k t) = true.

  Theorem no_later : forall t, t <= T -> plays p' i t <= plays p i t.
  Proof.
    induction t as [|t IH]; intros L; [reflexivity|]. specialize (IH ltac:(lia)).
    destruct (Nat.eq_dec (p' t) i) as [F'|F'].
    2:{ rewrite (plays_of_unplayed p' i t F'). pose proof (plays_up p i t (S t)). lia. }
    rewrite (plays_of_played p' i t F'). destruct (Nat.eq_dec (p t) i) as [F|F].
    1:{ rewrite (plays_of_played p i t F). lia. }
    rewrite (plays_of_unplayed p i t F).
    destruct (Nat.eq_dec (plays p' i t) (plays p i t)) as [E|]; [exfalso|lia].
    assert (Q : plays p (p t) t = plays p' (p t) t)
      by (apply (others_in_one_order (t + t)); auto; lia).
    destruct (course_p t ltac:(lia)) as [In1 B1]. destruct (course_p' t ltac:(lia)) as [In2 B2].
    rewrite F' in *. specialize (B1 i In2 (not_eq_sym F)). specialize (B2 (p t) In1 F).
    rewrite (others _ _ _ F) in B1. rewrite E, (others' _ _ _ F), <- Q in B2.
    pose proof (plays_at_most p i t) as M.
    exact (beats_asymmetric le rank order _ _ _ _ B1
             (beats_raised le rank order _ _ _ _ _ (raised _ _ M ltac:(lia)) B2)).
  Qed.
End Order.

(** ** Two agents *)

(** With two agents the rival's index may see the round as well: where agent [i] has as many plays in the
    same round, the rival has, too. With three agents it may not
    ([Counterexamples.rivals_see_the_round]). *)
Section TwoAgents.
  Context {V : Type} (le : V -> V -> bool) (order : total_preorder le).
  Variable rank : nat -> nat.
  Variables i rival : nat.
  Hypothesis different : i <> rival.
  Variables I I' : nat -> nat -> nat -> V.
  Variable T : nat.
  Variables p p' : nat -> nat.
  Hypothesis course_p : follows le rank [i; rival] I T p.
  Hypothesis course_p' : follows le rank [i; rival] I' T p'.
  Hypothesis same_rival : forall k t, I' rival k t = I rival k t.
  Hypothesis raised : forall k t, k <= t -> t < T -> le (I' i k t) (I i k t) = true.

  Lemma plays_of_two J q : follows le rank [i; rival] J T q ->
    forall t, t <= T -> plays q i t + plays q rival t = t.
  Proof.
    intros F t. induction t as [|t IH]; intros L; [reflexivity|]. specialize (IH ltac:(lia)).
    destruct (F t ltac:(lia)) as [[E|[E|[]]] _].
    - rewrite (plays_of_played q i t (eq_sym E)), (plays_of_unplayed q rival t) by congruence. lia.
    - rewrite (plays_of_played q rival t (eq_sym E)), (plays_of_unplayed q i t) by congruence. lia.
  Qed.

  Theorem two_agents_no_later : forall t, t <= T -> plays p' i t <= plays p i t.
  Proof.
    induction t as [|t IH]; intros L; [reflexivity|]. specialize (IH ltac:(lia)).
    destruct (Nat.eq_dec (p' t) i) as [F'|F'].
    2:{ rewrite (plays_of_unplayed p' i t F'). pose proof (plays_up p i t (S t)). lia. }
    rewrite (plays_of_played p' i t F'). destruct (Nat.eq_dec (p t) i) as [F|F].
    1:{ rewrite (plays_of_played p i t F). lia. }
    rewrite (plays_of_unplayed p i t F).
    destruct (Nat.eq_dec (plays p' i t) (plays p i t)) as [E|]; [exfalso|lia].
    pose proof (plays_of_two I p course_p t ltac:(lia)).
    pose proof (plays_of_two I' p' course_p' t ltac:(lia)).
    assert (Q : plays p rival t = plays p' rival t) by lia.
    destruct (course_p t ltac:(lia)) as [[C|[C|[]]] B1]; [congruence|].
    destruct (course_p' t ltac:(lia)) as [_ B2]. rewrite F' in B2. rewrite <- C in B1.
    specialize (B1 i (or_introl eq_refl) different).
    specialize (B2 rival (or_intror (or_introl eq_refl)) (not_eq_sym different)).
    rewrite E, same_rival, <- Q in B2. pose proof (plays_at_most p i t) as M.
    exact (beats_asymmetric le rank order _ _ _ _ B1
             (beats_raised le rank order _ _ _ _ _ (raised _ _ M ltac:(lia)) B2)).
  Qed.
End TwoAgents.

Local Open Scope R_scope.

(** ** The theorem *)

(** The first [k] outcomes of a stream, the oldest first. *)
Definition firsts {O : Type} (x : nat -> O) (k : nat) : list O := map x (seq 0 k).

Lemma firsts_related {O : Type} (rel : O -> O -> Prop) x y k :
  (forall n, rel (x n) (y n)) -> Forall2 rel (firsts x k) (firsts y k).
Proof. intros H. unfold firsts. induction (seq 0 k) as [|n l IH]; simpl; constructor; auto. Qed.

Section Strategies.
  Context {V : Type} (le : V -> V -> bool) (order : total_preorder le).
  Variable rank : nat -> nat.
  Variable agents : list nat.
  Variable i : nat.
  Variable J : nat -> nat -> V.

  (** The indices of a game in which agent [i], after [k] own plays in round [t], has index
      [own k t], and any other agent [j] the index [J j k]: a function of its own past alone, which
      no strategy of agent [i] changes. *)
  Definition indices (own : nat -> nat -> V) : nat -> nat -> nat -> V :=
    fun j k t => if (j =? i)%nat then own k t else J j k.

  (** An outcome of a play is a reward, or more ([Contexts]). Of two outcomes related by [below] the
      first pays at most as much, and at least 0. *)
  Context {O : Type} (worth : O -> R) (below : O -> O -> Prop).
  Hypothesis below_worth : forall a b, below a b -> 0 <= worth a <= worth b.

  (** Agent [i]'s index, a function of its own outcomes so far, is non-decreasing in each. *)
  Variable index : list O -> V.
  Hypothesis monotone : forall a b, Forall2 below a b -> le (index a) (index b) = true.

  (** [x]: what the best arm alone pays at agent [i]'s k-th play; it is reported at once, and the
      agent is always there. [y]: what any other strategy is paid at its k-th play. [reported k t]:
      what counts for that play in round [t]. [away t]: the agent has no arm in round [t], and its
      index is the bottom of [V]. *)
  Theorem pathwise (bottom : V) (x y : nat -> O) (reported : nat -> nat -> O) (away : nat -> bool)
    (T : nat) (p q : nat -> nat) (g : nat -> R) (U : R -> R) :
    (forall a, le bottom a = true) ->
    (forall k, below (y k) (x k)) ->
    (forall k t, below (reported k t) (x k)) ->
    follows le rank agents (indices (fun k _ => index (firsts x k))) T p ->
    follows le rank agents
      (indices (fun k t => if away t then bottom else index (firsts (fun n => reported n t) k))) T q ->
    is_discount g -> non_decreasing U ->
    (forall t, (t <= T)%nat -> (plays q i t <= plays p i t)%nat) /\
    U (revenue g (fun k => worth (y k)) q i T) <= U (revenue g (fun k => worth (x k)) p i T).
  Proof.
    intros Low Hxy Hrep P Q G HU.
    assert (L : forall t, (t <= T)%nat -> (plays q i t <= plays p i t)%nat).
    { refine (no_later le order rank agents i _ _ J T p q P Q _ _ _).
      - intros j k t N. unfold indices. apply Nat.eqb_neq in N. rewrite N. reflexivity.
      - intros j k t N. unfold indices. apply Nat.eqb_neq in N. rewrite N. reflexivity.
      - intros k t _ _. unfold indices. rewrite Nat.eqb_refl. destruct (away t); [apply Low|].
        apply monotone, firsts_related. intros n. apply Hrep. }
    split; [exact L|]. apply HU, discounted_order; [exact G|].
    apply income_order; [intros k; apply below_worth, Hxy|exact L].
  Qed.

  (** The same without lateness and absences. *)
  Corollary pathwise_prompt (x y : nat -> O) (T : nat) (p q : nat -> nat) (g : nat -> R)
    (U : R -> R) :
    (forall k, below (y k) (x k)) ->
    follows le rank agents (indices (fun k _ => index (firsts x k))) T p ->
    follows le rank agents (indices (fun k _ => index (firsts y k))) T q ->
    is_discount g -> non_decreasing U ->
    (forall t, (t <= T)%nat -> (plays q i t <= plays p i t)%nat) /\
    U (revenue g (fun k => worth (y k)) q i T) <= U (revenue g (fun k => worth (x k)) p i T).
  Proof.
    intros Hxy P Q G HU.
    assert (L : forall t, (t <= T)%nat -> (plays q i t <= plays p i t)%nat).
    { refine (no_later le order rank agents i _ _ J T p q P Q _ _ _).
      - intros j k t N. unfold indices. apply Nat.eqb_neq in N. rewrite N. reflexivity.
      - intros j k t N. unfold indices. apply Nat.eqb_neq in N. rewrite N. reflexivity.
      - intros k t _ _. unfold indices. rewrite Nat.eqb_refl.
        apply monotone, firsts_related. exact Hxy. }
    split; [exact L|]. apply HU, discounted_order; [exact G|].
    apply income_order; [intros k; apply below_worth, Hxy|exact L].
  Qed.
End Strategies.

(** With two agents, where the indices of both see the round, as those of H-UCB do. *)
Theorem pathwise_two_agents {V : Type} (le : V -> V -> bool) (order : total_preorder le)
  (rank : nat -> nat) (i rival : nat) (J : nat -> nat -> V) {O : Type} (worth : O -> R)
  (below : O -> O -> Prop) (index : nat -> list O -> V) (x y : nat -> O) (T : nat)
  (p q : nat -> nat) (g : nat -> R) (U : R -> R) :
  i <> rival ->
  (forall a b, below a b -> 0 <= worth a <= worth b) ->
  (forall t a b, Forall2 below a b -> le (index t a) (index t b) = true) ->
  (forall k, below (y k) (x k)) ->
  follows le rank [i; rival]
    (fun j k t => if (j =? i)%nat then index t (firsts x k) else J k t) T p ->
  follows le rank [i; rival]
    (fun j k t => if (j =? i)%nat then index t (firsts y k) else J k t) T q ->
  is_discount g -> non_decreasing U ->
  U (revenue g (fun k => worth (y k)) q i T) <= U (revenue g (fun k => worth (x k)) p i T).
Proof.
  intros D Worth Mono Hxy P Q G HU. apply HU, discounted_order; [exact G|].
  apply income_order; [intros k; apply Worth, Hxy|].
  refine (two_agents_no_later le order rank i rival D _ _ T p q P Q _ _).
  - intros k t. apply not_eq_sym, Nat.eqb_neq in D. rewrite D. reflexivity.
  - intros k t _ _. rewrite Nat.eqb_refl. apply Mono, firsts_related. exact Hxy.
Qed.

(** Rewards as outcomes: at least 0, and at most as large. *)
Definition at_most (a b : R) : Prop := 0 <= a <= b.

Lemma at_most_worth a b : at_most a b -> 0 <= a <= b.
Proof. exact (fun H => H). Qed.

(** With fees: a strategy pays a fee for each arm, and registering the best arm alone registers one
    arm. So it is ahead of every strategy that registers something. *)
Corollary with_fees (fee u v : R) (arms : nat) :
  0 <= fee -> (1 <= arms)%nat -> v <= u -> v - fee * INR arms <= u - fee * INR 1.
Proof.
  intros F A L. apply le_INR in A. simpl INR in *.
  assert (fee * 1 <= fee * INR arms) by (apply Rmult_le_compat_l; assumption). lra.
Qed.
