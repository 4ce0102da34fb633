(** Segments fixed beforehand: the rounds of a segment are a game of their own.

    A segment may be a kind of visitor, or the set of agents that a visitor may see, as long as the
    sequence of segments depends on no decision and on no registration. *)
Require Import List Arith Lia Bool Reals Lra.
Require Import Copyproof.Game Copyproof.Revenue Copyproof.Pathwise.
Import ListNotations.
Local Open Scope R_scope.

Section Segments.
  Variable segment : nat -> nat.        (* of round t, the same under both strategies *)
  Variable number : nat.                (* of segments *)
  Hypothesis in_range : forall t, (segment t < number)%nat.

  (** The rounds of segment [s] before round [t]: the time on that segment's own clock. *)
  Definition clock (s t : nat) : nat := plays segment s t.

  (** A round's income, where [a s] are the incomes of the game of segment [s], by its own clock. *)
  Definition segments_income (a : nat -> nat -> R) (t : nat) : R :=
    a (segment t) (clock (segment t) t).

  (** The sum up to a round is the sum of all segments' sums, each up to its own time. *)
  Lemma total_by_segment a t :
    total (segments_income a) t = total (fun s => total (a s) (clock s t)) number.
  Proof.
    induction t as [|t IH].
    - simpl. clear in_range. induction number as [|n IH]; simpl; [reflexivity|]. rewrite <- IH. lra.
    - change (total (segments_income a) (S t))
        with (total (segments_income a) t + segments_income a t).
      rewrite IH. unfold segments_income, clock. specialize (in_range t). revert in_range.
      clear IH. induction number as [|n IH]; intros L; [lia|]. cbn [total].
      destruct (Nat.eq_dec (segment t) n) as [E|E].
      + rewrite (plays_of_played segment n t E). cbn [total].
        rewrite (total_ext (fun s => total (a s) (plays segment s (S t)))
                   (fun s => total (a s) (plays segment s t))).
        * rewrite E. lra.
        * intros s Hs. rewrite plays_of_unplayed by lia. reflexivity.
      + rewrite (plays_of_unplayed segment n t E). rewrite <- IH by lia. lra.
  Qed.

  (** Where the prefix sums of every segment are in order, so are all discounted sums of the whole:
      a play that comes no later by the clock of its segment comes no later in the market. *)
  Theorem order_over_segments (a b : nat -> nat -> R) (g : nat -> R) (U : R -> R) (T : nat) :
    (forall s t, (t <= clock s T)%nat -> total (b s) t <= total (a s) t) ->
    is_discount g -> non_decreasing U ->
    U (total (fun t => g t * segments_income b t) T)
      <= U (total (fun t => g t * segments_income a t) T).
  Proof.
    intros H G HU. apply HU, discounted_order; [exact G|]. intros t L.
    rewrite !total_by_segment. apply total_order. intros s _. apply H, plays_up, L.
  Qed.

  (** The pathwise theorem over segments. One arm of agent [i] is its best in every segment. *)
  Theorem pathwise_over_segments {V : Type} (le : V -> V -> bool) (order : total_preorder le)
    (rank : nat -> nat -> nat) (agents : nat -> list nat) (i : nat) (J : nat -> nat -> nat -> V)
    {O : Type} (worth : O -> R) (below : O -> O -> Prop) (index : nat -> list O -> V)
    (x y : nat -> nat -> O) (p q : nat -> nat -> nat) (g : nat -> R) (U : R -> R) (T : nat) :
    (forall u v, below u v -> 0 <= worth u <= worth v) ->
    (forall s u v, Forall2 below u v -> le (index s u) (index s v) = true) ->
    (forall s k, below (y s k) (x s k)) ->
    (forall s, follows le (rank s) (agents s)
       (indices i (J s) (fun k _ => index s (firsts (x s) k))) (clock s T) (p s)) ->
    (forall s, follows le (rank s) (agents s)
       (indices i (J s) (fun k _ => index s (firsts (y s) k))) (clock s T) (q s)) ->
    is_discount g -> non_decreasing U ->
    U (total (fun t => g t * segments_income (fun s => income (fun k => worth (y s k)) (q s) i) t) T)
      <= U (total (fun t => g t * segments_income (fun s => income (fun k => worth (x s k)) (p s) i) t) T).
  Proof.
    intros Worth Mono Hxy P Q G HU. apply order_over_segments; [|exact G|exact HU].
    intros s t L. apply (income_order _ _ _ _ _ (clock s T)); [|intros r Hr|exact L].
    - intros k. apply Worth, Hxy.
    - refine (proj1 (pathwise_prompt le order (rank s) (agents s) i (J s) worth below Worth (index s)
        (Mono s) (x s) (y s) (clock s T) _ _ g U (Hxy s) (P s) (Q s) G HU) r Hr).
  Qed.
End Segments.
