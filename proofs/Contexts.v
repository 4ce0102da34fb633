(** Theorem C: agents chosen blind to the visitor.

    Visitors come independently, with one law, whatever was decided. The index of an agent sees its
    own past plays, visitors and rewards, and never the visitor of this round. The rule inside an
    agent sees its own plays and this visitor. Given visitor and arm, rewards are independent of the
    past. The luck of a play holds its visitor and the uniform number of its reward. *)
Require Import List Arith Lia Bool Reals Lra.
Require Import Copyproof.Game Copyproof.Revenue Copyproof.Pathwise Copyproof.Copies.
Require Import Copyproof.Rekeying Copyproof.Dominance.
Import ListNotations.
Local Open Scope R_scope.

(** ** (a) One law of an agent's stream, one law of the game *)

Section OneStreamLaw.
  Context {S : Type} (law : list (S * R)).
  Hypothesis whole : is_law law.
  Context {O W : Type}.
  (** What the rule for agents sees of an outcome: visitor and reward, not the arm. *)
  Variable view : O -> W.
  Variable shown : W -> O.
  Hypothesis view_of_shown : forall w, view (shown w) = w.

  Definition viewed (h : list (nat * O)) : list (nat * W) := map (fun e => (fst e, view (snd e))) h.

  Variable choice : list (nat * O) -> nat.
  Hypothesis choice_by_view : forall h h', viewed h = viewed h' -> choice h = choice h'.
  Variable agents : list nat.
  Hypothesis choice_of_agents : forall h, In (choice h) agents.
  Hypothesis agents_distinct : NoDup agents.
  Variable i : nat.
  Variables out out' : @process S O.
  Hypothesis same_others : forall j past s, j <> i -> out' j past s = out j past s.
  Variable T : nat.

  Definition own_keys : list key := map (fun k => (i, k)) (seq 0 T).
  Definition other_keys : list key := filter (fun a => negb (fst a =? i)%nat) (keys_of agents T).

  Lemma own_keys_in a : In a own_keys <-> fst a = i /\ (snd a < T)%nat.
  Proof.
    unfold own_keys. rewrite in_map_iff. split.
    - intros [k [E H]]. apply in_seq in H. subst a. simpl. split; [reflexivity|lia].
    - intros [E H]. exists (snd a). rewrite <- E. destruct a. split; [reflexivity|].
      apply in_seq. simpl in *. lia.
  Qed.

  Lemma split_keys_distinct : NoDup (other_keys ++ own_keys).
  Proof.
    apply distinct_app.
    - apply NoDup_filter. exact (keys_distinct agents agents_distinct T).
    - unfold own_keys. pose proof (seq_NoDup T 0) as Q. revert Q. generalize (seq 0 T). intros l Q.
      induction l as [|k l IH]; simpl; [constructor|]. inversion Q; subst.
      constructor; [|apply IH; assumption]. intros H. apply in_map_iff in H.
      destruct H as [m [F M]]. inversion F; subst. contradiction.
    - intros c H H'. apply own_keys_in in H'. apply filter_In in H. destruct H as [_ H].
      apply negb_true_iff, Nat.eqb_neq in H. tauto.
  Qed.

  (** Agent [i] follows a list of what is seen of its outcomes; the others are as they are. *)
  Definition by_list (l : list W) (d : W) : @process S O :=
    fun j past s => if (j =? i)%nat then shown (nth (length past) l d) else out j past s.

  Lemma past_length_viewed j h :
    length (past_of j h) = length (filter (fun e => fst e =? j)%nat (viewed h)).
  Proof.
    unfold past_of, viewed. rewrite map_length. induction h as [|e h IH]; [reflexivity|].
    simpl. destruct (fst e =? j)%nat; simpl; rewrite IH; reflexivity.
  Qed.

  Lemma history_by_list o d table tab : (forall j past s, j <> i -> o j past s = out j past s) ->
    (forall a, ~ In a own_keys -> tab a = table a) ->
    let l := firsts (fun k => view (stream o tab i k)) T in
    forall t, (t <= T)%nat ->
    viewed (history choice o tab t) = viewed (history choice (by_list l d) table t) /\
    forall j, j <> i ->
      past_of j (history choice o tab t) = past_of j (history choice (by_list l d) table t).
  Proof.
    intros Same E l. induction t as [|t IH]; intros L; [split; reflexivity|]. unfold history.
    rewrite !rekeyed_end. fold (history choice o tab t).
    fold (history choice (by_list l d) table t).
    destruct IH as [View Past]; [lia|].
    set (h := history choice o tab t) in *. set (h' := history choice (by_list l d) table t) in *.
    unfold turn. rewrite <- (choice_by_view h h' View).
    assert (Len : forall j, length (past_of j h') = length (past_of j h))
      by (intros j; rewrite !past_length_viewed, View; reflexivity).
    unfold by_list. destruct (Nat.eq_dec (choice h) i) as [F|F].
    - rewrite F, Nat.eqb_refl, !Len.
      assert (X : view (o i (past_of i h) (tab (i, length (past_of i h))))
                  = nth (length (past_of i h)) l d).
      { unfold h. rewrite past_is_stream, stream_past_length.
        set (k := plays (course choice o tab) i t).
        assert (K : (k < T)%nat) by (pose proof (plays_at_most (course choice o tab) i t);
          unfold k; lia).
        unfold l, firsts.
        rewrite (nth_indep _ d (view (stream o tab i 0))) by (rewrite map_length, seq_length; lia).
        rewrite (map_nth (fun k => view (stream o tab i k))), seq_nth by lia. reflexivity. }
      split.
      + unfold viewed in *. simpl. rewrite View, view_of_shown, X. reflexivity.
      + intros j N. rewrite !past_of_cons. simpl.
        destruct (i =? j)%nat eqn:N'; [apply Nat.eqb_eq in N'; congruence|]. apply Past, N.
    - apply Nat.eqb_neq in F as F'. rewrite F', !Len, Same, <- (Past _ F) by exact F.
      rewrite E by (rewrite own_keys_in; simpl; tauto). split.
      + unfold viewed in *. simpl. rewrite View. reflexivity.
      + intros j N. rewrite !past_of_cons. simpl. rewrite (Past j N). reflexivity.
  Qed.

  (** (a) If two registrations give what is seen of the stream of agent [i] one law, every law of
      owners, visitors and rewards is the same. *)
  Theorem theorem_C_a :
    (forall (f : list W -> R) table,
       over law own_keys table (fun tab => f (firsts (fun k => view (stream out' tab i k)) T))
       = over law own_keys table (fun tab => f (firsts (fun k => view (stream out tab i k)) T))) ->
    forall f : list (nat * W) -> R,
      played law choice out' (fun h => f (viewed h)) T []
      = played law choice out (fun h => f (viewed h)) T [].
  Proof.
    intros H f. destruct (some_supported law whole) as [luck _]. set (d := view (out i [] luck)).
    assert (K : forall o, (forall j past s, j <> i -> o j past s = out j past s) ->
      played law choice o (fun h => f (viewed h)) T []
      = over law other_keys (fun _ => luck) (fun table => over law own_keys table (fun tab =>
          f (viewed (history choice (by_list (firsts (fun k => view (stream o tab i k)) T) d)
                       table T))))).
    { intros o Same.
      rewrite <- (rekeying law whole choice agents choice_of_agents o (fun h => f (viewed h)) T []
                    (other_keys ++ own_keys) (fun _ => luck) split_keys_distinct).
      - rewrite over_app. apply over_agree. intros table _. apply over_agree. intros tab E.
        f_equal. exact (proj1 (history_by_list o d table tab Same E T (le_n T))).
      - intros j k Hj L. simpl in L. rewrite in_app_iff.
        destruct (Nat.eq_dec j i) as [E|N].
        + right. apply own_keys_in. simpl. split; [exact E|lia].
        + left. apply filter_In. split.
          * apply in_prod_iff. split; [exact Hj|]. apply in_seq. lia.
          * simpl. apply negb_true_iff, Nat.eqb_neq, N. }
    rewrite (K out' same_others), (K out (fun j past s _ => eq_refl)). apply over_agree.
    intros table _.
    exact (H (fun l => f (viewed (history choice (by_list l d) table T))) table).
  Qed.
End OneStreamLaw.

(** ** (b) A joint coupling *)

(** An outcome is what the rule inside the agent remembers of the play (the arm, its random
    numbers), the visitor and the reward. Of two outcomes with one visitor the first pays at most as
    much, and at least 0. *)
Section Coupled.
  Context {M C : Type}.

  Definition outcome : Type := (M * (C * R))%type.
  Definition reward (a : outcome) : R := snd (snd a).
  Definition same_visitor (a b : outcome) : Prop :=
    fst (snd a) = fst (snd b) /\ at_most (reward a) (reward b).

  Lemma same_visitor_worth a b : same_visitor a b -> 0 <= reward a <= reward b.
  Proof. intros [_ H]. exact H. Qed.

  Context {S : Type} (law : list (S * R)).
  Hypothesis weights : forall s w, In (s, w) law -> 0 <= w.
  Hypothesis whole : is_law law.
  Context {V : Type} (le : V -> V -> bool) (order : total_preorder le).
  Variable rank : nat -> nat.
  Variable first : nat.
  Variable rest : list nat.
  Hypothesis distinct : NoDup (first :: rest).
  Hypothesis rank_strict : forall i j, In i (first :: rest) -> In j (first :: rest) ->
    rank i = rank j -> i = j.
  Variable index : nat -> list outcome -> V.
  Variable i : nat.
  (** With equal visitors the index is non-decreasing in each own reward. It does not see what the
      rule inside remembers: [same_visitor] leaves that free on both sides. *)
  Hypothesis monotone : forall a b, Forall2 same_visitor a b -> le (index i a) (index i b) = true.

  Theorem theorem_C_b (out out' : @process S outcome) (g : nat -> R) (U : R -> R) (T : nat) :
    (forall j past s, j <> i -> out' j past s = out j past s) ->
    (forall table, (forall a, supported law (table a)) ->
       forall k, same_visitor (stream out' table i k) (stream out table i k)) ->
    is_discount g -> non_decreasing U ->
    let choice := largest_index le rank first rest index in
    (forall table, (forall a, supported law (table a)) ->
       U (paid g reward i (history choice out' table T))
         <= U (paid g reward i (history choice out table T)))
    /\ played law choice out' (fun h => U (paid g reward i h)) T []
       <= played law choice out (fun h => U (paid g reward i h)) T [].
  Proof.
    intros Others Pays G HU choice. split.
    - intros table P. exact (proj2 (order_of_rekeyed_paths law reward same_visitor
        same_visitor_worth le order rank first rest rank_strict index i monotone out out' Others Pays
        table g U T P G HU)).
    - exact (dominance_as_played law weights whole reward same_visitor same_visitor_worth le order
        rank first rest distinct rank_strict index i monotone out out' Others Pays g U T G HU).
  Qed.

  (** ** (c) One arm that dominates for almost every visitor *)

  (** [pays a s]: what arm [a] pays with luck [s], by the inverse distribution function of the arm for
      this visitor. Dominance for a visitor is order at every luck ([Coupling.dominance_couples]). *)
  Variable visitor : S -> C.
  Variable pays : nat -> S -> R.
  Variable arms : list nat.
  Variable best : nat.
  Hypothesis best_dominates : forall a s, supported law s -> In a arms ->
    0 <= pays a s <= pays best s.

  (** Agent [i] plays arms by any rule of its past, the visitor and random numbers, both of which are
      part of the luck of the play; the others are [rivals]. *)
  Variable arm_in : M -> nat.

  Definition with_rule (rivals : @process S outcome) (rule : list outcome -> S -> M) :
    @process S outcome :=
    fun j past s => if (j =? i)%nat then (rule past s, (visitor s, pays (arm_in (rule past s)) s))
                    else rivals j past s.

  Theorem theorem_C_c (rivals : @process S outcome) (rule : list outcome -> S -> M) (alone : M)
    (g : nat -> R) (U : R -> R) (T : nat) :
    (forall past s, In (arm_in (rule past s)) arms) -> arm_in alone = best -> is_discount g -> non_decreasing U ->
    let choice := largest_index le rank first rest index in
    played law choice (with_rule rivals rule) (fun h => U (paid g reward i h)) T []
      <= played law choice (with_rule rivals (fun _ _ => alone)) (fun h => U (paid g reward i h)) T [].
  Proof.
    intros Own Alone G HU choice. apply theorem_C_b; [| |exact G|exact HU].
    - intros j past s N. unfold with_rule. apply Nat.eqb_neq in N. rewrite N. reflexivity.
    - intros table P k. unfold stream, with_rule. rewrite Nat.eqb_refl. split; [reflexivity|].
      unfold reward. simpl. rewrite Alone. apply best_dominates; [apply P|apply Own].
  Qed.
End Coupled.
