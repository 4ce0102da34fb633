(** From the game as it is played to the game in which luck is keyed by agent and own play.

    In the played game every round draws fresh luck: its visitor and the uniform numbers of its
    rewards. In the re-keyed game the k-th play of agent [j] meets luck of its own, drawn
    beforehand. Both have one law, as long as the agent is chosen before the luck of the round is
    seen. So what holds on every path of the re-keyed game holds in law for the played one. Laws are
    finite here. *)
Require Import List Arith Lia Bool Reals Lra FunctionalExtensionality.
Require Import Copyproof.Game Copyproof.Revenue Copyproof.Pathwise Copyproof.Copies.
Import ListNotations.
Local Open Scope R_scope.

(** ** Means of finite laws *)

Lemma mean_of_add {A : Type} (law : list (A * R)) f g :
  mean_of law (fun a => f a + g a) = mean_of law f + mean_of law g.
Proof. induction law as [|[a w] l IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma mean_of_scale {A : Type} (law : list (A * R)) c f :
  mean_of law (fun a => c * f a) = c * mean_of law f.
Proof. induction law as [|[a w] l IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma mean_of_swap {A B : Type} (law : list (A * R)) (law' : list (B * R)) f :
  mean_of law (fun a => mean_of law' (fun b => f a b))
    = mean_of law' (fun b => mean_of law (fun a => f a b)).
Proof.
  induction law as [|[a w] l IH]; simpl.
  - symmetry. induction law' as [|[b v] l' IH']; simpl; [reflexivity|]. rewrite IH'. lra.
  - rewrite IH, mean_of_add, mean_of_scale. reflexivity.
Qed.

(** Values of weight above 0. *)
Definition supported {A : Type} (law : list (A * R)) (a : A) : Prop :=
  exists w, 0 < w /\ In (a, w) law.

Lemma mean_of_order {A : Type} (law : list (A * R)) f g :
  (forall a w, In (a, w) law -> 0 <= w) -> (forall a, supported law a -> f a <= g a) ->
  mean_of law f <= mean_of law g.
Proof.
  intros W H. induction law as [|[a w] l IH]; simpl; [lra|].
  assert (mean_of l f <= mean_of l g).
  { apply IH; [intros b v Hb; apply (W b v); right; exact Hb|].
    intros b [v [P B]]. apply H. exists v. split; [exact P|right; exact B]. }
  destruct (W a w (or_introl eq_refl)) as [P|E]; [|subst w; lra].
  assert (f a <= g a) by (apply H; exists w; split; [exact P|left; reflexivity]).
  assert (w * f a <= w * g a) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma some_supported {A : Type} (law : list (A * R)) :
  is_law law -> exists a, supported law a.
Proof.
  unfold is_law. intros H.
  destruct (Rlt_dec 0 (mean_of law (fun _ => 1))) as [P|]; [|lra]. clear H.
  induction law as [|[a w] l IH]; simpl in P; [lra|]. destruct (Rlt_dec 0 w) as [W|W].
  - exists a, w. split; [exact W|left; reflexivity].
  - destruct IH as [b [v [V B]]]; [lra|]. exists b, v. split; [exact V|right; exact B].
Qed.

Lemma distinct_app {A : Type} (a b : list A) :
  NoDup a -> NoDup b -> (forall c, In c a -> ~ In c b) -> NoDup (a ++ b).
Proof.
  induction a as [|c a IH]; intros D E N; simpl; [exact E|]. inversion D; subst. constructor.
  - rewrite in_app_iff. intros [H|H]; [contradiction|].
    apply (N c); [left; reflexivity|exact H].
  - apply IH; auto. intros d Hd. apply N. right. exact Hd.
Qed.

Section Luck.
  Context {S : Type}.                       (* the luck of a play *)
  Variable law : list (S * R).
  Hypothesis weights : forall s w, In (s, w) law -> 0 <= w.
  Hypothesis whole : is_law law.

  (** ** Tables of luck *)

  Definition key : Type := (nat * nat)%type.      (* agent, own play *)
  Definition same_key (a b : key) : bool :=
    ((fst a =? fst b)%nat && (snd a =? snd b)%nat)%bool.

  Lemma same_key_iff a b : same_key a b = true <-> a = b.
  Proof.
    unfold same_key. destruct a as [i k], b as [j l]. simpl.
    rewrite andb_true_iff, !Nat.eqb_eq. split; [intros [E F]; congruence|intros E; split; congruence].
  Qed.

  Definition entry (table : key -> S) (a : key) (s : S) : key -> S :=
    fun b => if same_key b a then s else table b.

  Lemma entry_swap table a b s u : a <> b ->
    entry (entry table a s) b u = entry (entry table b u) a s.
  Proof.
    intros N. extensionality c. unfold entry.
    destruct (same_key c b) eqn:E, (same_key c a) eqn:F; try reflexivity.
    apply same_key_iff in E. apply same_key_iff in F. congruence.
  Qed.

  (** The mean over independent entries at the keys. *)
  Fixpoint over (keys : list key) (table : key -> S) (f : (key -> S) -> R) : R :=
    match keys with
    | [] => f table
    | a :: rest => mean_of law (fun s => over rest (entry table a s) f)
    end.

  Definition without (a : key) (keys : list key) : list key :=
    filter (fun b => negb (same_key b a)) keys.

  Lemma without_absent a keys : ~ In a keys -> without a keys = keys.
  Proof.
    induction keys as [|b keys IH]; intros N; [reflexivity|]. simpl.
    destruct (same_key b a) eqn:E; simpl.
    - apply same_key_iff in E. subst. exfalso. apply N. left. reflexivity.
    - rewrite IH; [reflexivity|]. intros H. apply N. right. exact H.
  Qed.

  Lemma in_without a b keys : In b (without a keys) <-> In b keys /\ b <> a.
  Proof.
    unfold without. rewrite filter_In, negb_true_iff. split; intros [H E]; split; try exact H.
    - intros F. subst. assert (same_key a a = true) by (apply same_key_iff; reflexivity). congruence.
    - destruct (same_key b a) eqn:F; [apply same_key_iff in F; contradiction|reflexivity].
  Qed.

  (** An entry may be drawn first. *)
  Lemma over_first a keys : NoDup keys -> In a keys -> forall table f,
    over keys table f = mean_of law (fun s => over (without a keys) (entry table a s) f).
  Proof.
    induction keys as [|b keys IH]; intros D H table f; [contradiction|].
    inversion D as [|x y Nb D']; subst. destruct (same_key b a) eqn:E.
    - apply same_key_iff in E. subst b. simpl.
      assert (X : same_key a a = true) by (apply same_key_iff; reflexivity). rewrite X. simpl.
      rewrite without_absent by exact Nb. reflexivity.
    - assert (N : b <> a) by (intros F; apply same_key_iff in F; congruence).
      destruct H as [H|H]; [congruence|]. simpl. rewrite E. simpl.
      rewrite (mean_of_ext law _ (fun s => mean_of law (fun u =>
                 over (without a keys) (entry (entry table b s) a u) f)))
        by (intros s; apply IH; assumption).
      rewrite mean_of_swap. apply mean_of_ext. intros u. apply mean_of_ext. intros s.
      rewrite entry_swap by exact N. reflexivity.
  Qed.

  Lemma over_constant keys : forall table c, over keys table (fun _ => c) = c.
  Proof.
    induction keys as [|a keys IH]; intros table c; [reflexivity|]. simpl.
    rewrite (mean_of_ext law _ (fun _ => c)) by (intros s; apply IH). apply mean_of_constant, whole.
  Qed.

  Lemma over_order keys : forall table f g,
    (forall a, supported law (table a)) ->
    (forall tab, (forall a, supported law (tab a)) -> f tab <= g tab) ->
    over keys table f <= over keys table g.
  Proof.
    induction keys as [|a keys IH]; intros table f g P H; simpl; [apply H, P|].
    apply mean_of_order; [exact weights|]. intros s Hs. apply IH; [|exact H].
    intros b. unfold entry. destruct (same_key b a); auto.
  Qed.

  (** What is not drawn any more is fixed. *)
  Lemma over_agree keys : forall table f g,
    (forall tab, (forall a, ~ In a keys -> tab a = table a) -> f tab = g tab) ->
    over keys table f = over keys table g.
  Proof.
    induction keys as [|b keys IH]; intros table f g H; simpl; [apply H; reflexivity|].
    apply mean_of_ext. intros s. apply IH. intros tab E. apply H. intros a N.
    rewrite E by (intros F; apply N; right; exact F). unfold entry.
    destruct (same_key a b) eqn:F; [|reflexivity].
    apply same_key_iff in F. exfalso. apply N. left. congruence.
  Qed.

  Lemma over_fixed a keys : ~ In a keys -> forall table f g,
    (forall tab, tab a = table a -> f tab = g tab) -> over keys table f = over keys table g.
  Proof. intros N table f g H. apply over_agree. intros tab E. apply H, E, N. Qed.

  Lemma over_app keys keys' : forall table f,
    over (keys ++ keys') table f = over keys table (fun tab => over keys' tab f).
  Proof.
    induction keys as [|a keys IH]; intros table f; [reflexivity|]. simpl.
    apply mean_of_ext. intros s. apply IH.
  Qed.

  (** ** The two games *)

  Context {O : Type}.                       (* the outcome of a play *)
  (** What a play of agent [j] comes to, by the agent's past (the newest first) and the luck of the
      play: which arm its inner rule takes for this visitor, and what it pays. *)
  Definition process : Type := nat -> list O -> S -> O.

  Definition trace : Type := list (nat * O).      (* the newest play first *)

  Definition past_of (j : nat) (h : trace) : list O :=
    map snd (filter (fun e => fst e =? j)%nat h).

  Lemma past_of_cons j e h :
    past_of j (e :: h) = if (fst e =? j)%nat then snd e :: past_of j h else past_of j h.
  Proof. unfold past_of. simpl. destruct (fst e =? j)%nat; reflexivity. Qed.

  (** The agent is chosen by all that has been seen, and not by the luck of its play. *)
  Variable choice : trace -> nat.

  (** As it is played: every round has luck of its own. The mean of [f] over the next [t] rounds. *)
  Fixpoint played (out : process) (f : trace -> R) (t : nat) (h : trace) : R :=
    match t with
    | 0%nat => f h
    | Datatypes.S s => let j := choice h in
        mean_of law (fun luck => played out f s ((j, out j (past_of j h) luck) :: h))
    end.

  (** Re-keyed: the k-th play of agent [j] meets the luck at (j, k). *)
  Definition turn (out : process) (table : key -> S) (h : trace) : trace :=
    let j := choice h in
    (j, out j (past_of j h) (table (j, length (past_of j h)))) :: h.

  Fixpoint rekeyed (out : process) (table : key -> S) (t : nat) (h : trace) : trace :=
    match t with
    | 0%nat => h
    | Datatypes.S s => rekeyed out table s (turn out table h)
    end.

  Variable agents : list nat.
  Hypothesis choice_of_agents : forall h, In (choice h) agents.

  Theorem rekeying (out : process) (f : trace -> R) : forall t h keys table,
    NoDup keys ->
    (forall j k, In j agents ->
       (length (past_of j h) <= k < length (past_of j h) + t)%nat -> In (j, k) keys) ->
    over keys table (fun tab => f (rekeyed out tab t h)) = played out f t h.
  Proof.
    induction t as [|t IH]; intros h keys table D K;
      [exact (over_constant keys table (f h))|].
    simpl. set (j := choice h). set (a := (j, length (past_of j h))).
    rewrite (over_first a keys D) by (apply K; [apply choice_of_agents|lia]).
    apply mean_of_ext. intros s.
    assert (Na : ~ In a (without a keys)) by (rewrite in_without; tauto).
    rewrite (over_fixed a _ Na _ _
      (fun tab => f (rekeyed out tab t ((j, out j (past_of j h) s) :: h)))).
    - apply IH.
      + apply NoDup_filter, D.
      + intros b k Hb L. apply in_without. rewrite past_of_cons in L. simpl in L. split.
        * apply K; [exact Hb|]. destruct (j =? b)%nat; simpl in L; lia.
        * intros E. unfold a in E. inversion E; subst b k. rewrite Nat.eqb_refl in L. simpl in L. lia.
    - intros tab E. unfold turn. fold j. fold a. rewrite E. unfold entry.
      assert (X : same_key a a = true) by (apply same_key_iff; reflexivity). rewrite X. reflexivity.
  Qed.

  (** The keys of a game of [T] rounds. *)
  Definition keys_of (T : nat) : list key := list_prod agents (seq 0 T).

  Hypothesis agents_distinct : NoDup agents.

  Lemma keys_distinct T : NoDup (keys_of T).
  Proof.
    unfold keys_of. pose proof (seq_NoDup T 0) as Q. revert Q. generalize (seq 0 T). intros l Q.
    revert agents_distinct. clear choice_of_agents.
    induction agents as [|j js IH]; intros D; simpl; [constructor|].
    inversion D as [|x y N D']; subst.
    assert (E : NoDup (map (fun k => (j, k)) l)).
    { clear -Q. induction l as [|k l IH]; simpl; [constructor|]. inversion Q; subst.
      constructor; [|apply IH; assumption]. intros H. apply in_map_iff in H.
      destruct H as [m [F M]]. inversion F; subst. contradiction. }
    apply distinct_app; [exact E|apply IH, D'|].
    intros [b k] H H'. apply in_map_iff in H. destruct H as [m [F _]]. inversion F; subst.
    apply in_prod_iff in H'. apply N, H'.
  Qed.

  (** From the start: one law, for every [f] of owners and outcomes. *)
  Corollary one_law (out : process) (f : trace -> R) (table : key -> S) (T : nat) :
    over (keys_of T) table (fun tab => f (rekeyed out tab T [])) = played out f T [].
  Proof.
    apply rekeying; [apply keys_distinct|]. intros j k Hj L. simpl in L.
    apply in_prod_iff. split; [exact Hj|]. apply in_seq. lia.
  Qed.

  (** ** Streams: what agent [j]'s k-th own play comes to, whenever it is played *)

  Fixpoint stream_past (out : process) (table : key -> S) (j k : nat) : list O :=
    match k with
    | 0%nat => []
    | Datatypes.S n => let past := stream_past out table j n in out j past (table (j, n)) :: past
    end.

  Definition stream (out : process) (table : key -> S) (j k : nat) : O :=
    out j (stream_past out table j k) (table (j, k)).

  Lemma stream_past_length out table j k : length (stream_past out table j k) = k.
  Proof. induction k as [|k IH]; simpl; congruence. Qed.

  Lemma stream_past_firsts out table j k :
    rev (stream_past out table j k) = firsts (stream out table j) k.
  Proof.
    induction k as [|k IH]; [reflexivity|]. unfold firsts in *. rewrite seq_S, map_app, <- IH.
    reflexivity.
  Qed.

  (** The course of the re-keyed game. *)
  Definition history (out : process) (table : key -> S) (t : nat) : trace :=
    rekeyed out table t [].
  Definition course (out : process) (table : key -> S) (t : nat) : nat :=
    choice (history out table t).

  Lemma rekeyed_end out table t : forall h,
    rekeyed out table (Datatypes.S t) h = turn out table (rekeyed out table t h).
  Proof. induction t as [|t IH]; intros h; [reflexivity|]. simpl in *. rewrite IH. reflexivity. Qed.

  Lemma past_is_stream out table j t :
    past_of j (history out table t) = stream_past out table j (plays (course out table) j t).
  Proof.
    revert j. induction t as [|t IH]; intros j; [reflexivity|].
    unfold history. rewrite rekeyed_end. fold (history out table t). unfold turn.
    fold (course out table t). rewrite past_of_cons. simpl fst. simpl snd.
    destruct (Nat.eq_dec (course out table t) j) as [E|N].
    - rewrite (plays_of_played _ _ _ E), E, Nat.eqb_refl. simpl.
      rewrite !IH, stream_past_length. reflexivity.
    - rewrite (plays_of_unplayed _ _ _ N). apply Nat.eqb_neq in N. rewrite N. apply IH.
  Qed.

  (** What an agent is paid, read off a trace. *)
  Fixpoint paid (g : nat -> R) (worth : O -> R) (i : nat) (h : trace) : R :=
    match h with
    | [] => 0
    | e :: earlier => paid g worth i earlier +
        (if (fst e =? i)%nat then g (length earlier) * worth (snd e) else 0)
    end.

  Lemma history_length out table t : length (history out table t) = t.
  Proof.
    induction t as [|t IH]; [reflexivity|]. unfold history. rewrite rekeyed_end.
    unfold turn. simpl. f_equal. exact IH.
  Qed.

  Lemma paid_is_revenue g worth i out table t :
    paid g worth i (history out table t)
      = revenue g (fun k => worth (stream out table i k)) (course out table) i t.
  Proof.
    unfold revenue. induction t as [|t IH]; [reflexivity|].
    unfold history. rewrite rekeyed_end. fold (history out table t). unfold turn.
    fold (course out table t). simpl. rewrite IH, history_length. unfold income.
    destruct (Nat.eq_dec (course out table t) i) as [E|N].
    - rewrite E, Nat.eqb_refl, past_is_stream, stream_past_length. reflexivity.
    - apply Nat.eqb_neq in N. rewrite N. lra.
  Qed.
End Luck.
