(** Counterexamples whose games are outside the form of [Counterexamples]: ties, eligible agents,
    late rivals, epochs, segments, visitors, flat rules, several names.

    Agent 0 has the best arm alone (its k-th play pays [x k]) or another strategy ([y k]), and earns
    more with the other one. The index of agent 0 is its last reward, unless something else is said. *)
Require Import List Arith Lia Bool ZArith.
Require Import Copyproof.Game Copyproof.Pathwise Copyproof.Counterexamples.
Import ListNotations.
Local Open Scope Z_scope.

(** The agent of largest score, the first of equals in the given order. *)
Fixpoint best (score : nat -> Z) (first : nat) (rest : list nat) : nat :=
  match rest with
  | [] => first
  | j :: others => best score (if score first <? score j then j else first) others
  end.

Definition best_of (order : list nat) (score : nat -> Z) : nat :=
  match order with [] => 0%nat | first :: rest => best score first rest end.

(** What agent 0 earns in [T] rounds of the course that a rule picks. *)
Definition earned_by (pick : list nat -> nat) (x : nat -> Z) (T : nat) : Z :=
  earned equal_weights x (course pick) 0 T.

Ltac game_case := intros; split; [entries|vm_compute; reflexivity].

(** ** Ties *)

(** Ties drawn anew: the order of priority of each round is another one. The indices of agents 1 and 2
    are fixed lists by their plays; agent 0 begins with index 3. *)
Example ties_drawn_anew :
  let orders := [[0; 1; 2]; [0; 2; 1]; [2; 0; 1]; [1; 0; 2]; [0; 2; 1]; [0; 1; 2]; [0; 1; 2]]%nat in
  let pick x h := best_of (nth (length h) orders []) (fun j =>
    let k := count j h in
    match j with
    | O => last (firsts x k) 3
    | 1%nat => listed [0; 2; 3; 1; 0; 3; 1] k
    | _ => listed [2; 0; 3; 0; 2; 0] k
    end) in
  let x := listed [1; 0; 2; 1; 2; 0] in let y := listed [0; 0; 2; 0; 1; 0] in
  (forall k, 0 <= y k <= x k) /\ earned_by (pick x) x 7 < earned_by (pick y) y 7.
Proof. game_case. Qed.

(** ** Eligible agents *)

(** The sets of agents that visitors may see differ, by a list fixed beforehand. The indices of
    agents 1 and 2 are fixed lists by their plays. *)
Example eligible_agents_differ :
  let eligible t := nth t [[0]; [0; 1]; [1; 2]; [0]]%nat [0; 2]%nat in
  let pick x h := best_of (eligible (length h)) (fun j =>
    let k := count j h in
    match j with
    | O => by_last x k
    | 1%nat => listed [1; 3] k
    | _ => listed [2; 8] k
    end) in
  let x := listed [2; 4] in let y := listed [0; 4] in
  (forall k, 0 <= y k <= x k) /\ earned_by (pick x) x 7 < earned_by (pick y) y 7.
Proof. game_case. Qed.

(** Visitors' lists of arms instead of agents: even visitors list an agent's first arm, odd ones its
    second. A copy is one more chance to be on the list. *)
Example eligible_arms :
  let pick arms h :=
    if orb (Nat.even (length h)) (2 <=? arms)%nat then 0%nat else 1%nat in
  let x := listed [1] in
  earned_by (pick 1%nat) x 6 < earned_by (pick 2%nat) x 6.
Proof. vm_compute. reflexivity. Qed.

(** ** Rivals *)

(** A rival's rewards come late: agent 1 pays nothing, and each of its plays counts 2 until its reward
    is reported, two rounds later. Its index is the sum, or 3 before its first play. *)
Fixpoint late_sum (now : nat) (h : list nat) : Z :=
  match h with
  | [] => 0
  | j :: earlier => late_sum now earlier +
      (if ((j =? 1) && (now <=? S (length earlier)))%nat then 2 else 0)
  end.

Example rival_is_late :
  let pick x h := best_of [0; 1]%nat (fun j =>
    match j, count 1 h with
    | O, _ => by_last x (count 0 h)
    | _, O => 3
    | _, _ => late_sum (length h) h
    end) in
  let x := listed [3; 1; 3; 0] in let y := listed [2; 0; 3; 0] in
  (forall k, 0 <= y k <= x k) /\ earned_by (pick x) x 4 < earned_by (pick y) y 4.
Proof. game_case. Qed.

(** The rule inside a rival sees the round: agent 1's arm of round 1 pays 0, that of later rounds 9. *)
Definition last_round (j : nat) (h : list nat) : option nat :=
  (fix go h := match h with
               | [] => None
               | a :: earlier => if (a =? j)%nat then Some (length earlier) else go earlier
               end) h.

Example rival_arm_rule_sees_the_round :
  let pick x h := best_of [0; 1]%nat (fun j =>
    match j, last_round 1 h with
    | O, _ => by_last x (count 0 h)
    | _, None => 3
    | _, Some t => if (t =? 1)%nat then 0 else 9
    end) in
  let x := listed [4; 2] in let y := listed [2; 2] in
  (forall k, 0 <= y k <= x k) /\ earned_by (pick x) x 6 < earned_by (pick y) y 6.
Proof. game_case. Qed.

(** A rival's index sees other agents: that of agent 1 is 9 if agent 0's last reward is above 3, and
    0 otherwise. *)
Example rival_sees_others :
  let pick x h := best_of [0; 1]%nat (fun j =>
    let own := by_last x (count 0 h) in
    match j, count 0 h with
    | O, _ => own
    | _, O => 0
    | _, _ => if 3 <? own then 9 else 0
    end) in
  let x := listed [4] in let y := listed [2] in
  (forall k, 0 <= y k <= x k) /\ earned_by (pick x) x 4 < earned_by (pick y) y 4.
Proof. game_case. Qed.

(** ** Means that change, and the visitors of rounds *)

(** What arms pay depends on the round (a drift, or the visitor of the round): in round t the best arm
    pays 2t + 2, the other one 2t. The index of agent 0 is its reward after one play, and -5 after
    two; that of agent 1 falls after four plays. *)
Fixpoint earned_by_round (pays : nat -> Z) (p : nat -> nat) (T : nat) : Z :=
  match T with
  | O => 0
  | S t => earned_by_round pays p t + (if (p t =? 0)%nat then pays t else 0)
  end.

Example rewards_depend_on_the_round :
  let pick pays h := best_of [0; 1]%nat (fun j =>
    match j, count 0 h, last_round 0 h with
    | O, 1%nat, Some t => pays t
    | O, O, _ => 9
    | O, _, _ => -5
    | _, _, _ => if (count 1 h <? 4)%nat then 1 else -1
    end) in
  let x t := 2 * Z.of_nat t + 2 in let y t := 2 * Z.of_nat t in
  (forall t, y t <= x t) /\
  earned_by_round x (course (pick x)) 6 < earned_by_round y (course (pick y)) 6.
Proof. intros. split; [intros t; unfold x, y; lia|vm_compute; reflexivity]. Qed.

(** ** Epochs *)

(** A game of epochs: the epoch, its rounds so far, plays of agent 0 in all epochs, its rewards in this
    epoch (the last first), plays of agent 1 in this epoch, and what agent 0 has earned in all. *)
Record epochs_state := {
  epoch : nat; rounds : nat; own_plays : nat; own_rewards : list Z; rival_plays : nat; in_all : Z }.

Definition forget (s : epochs_state) : epochs_state :=
  {| epoch := S (epoch s); rounds := 0; own_plays := own_plays s; own_rewards := [];
     rival_plays := 0; in_all := in_all s |}.

Definition next_round (own rival : epochs_state -> Z) (ends : epochs_state -> bool) (x : nat -> Z)
  (s : epochs_state) : epochs_state :=
  let after :=
    if rival s <=? own s
    then {| epoch := epoch s; rounds := S (rounds s); own_plays := S (own_plays s);
            own_rewards := x (own_plays s) :: own_rewards s; rival_plays := rival_plays s;
            in_all := in_all s + x (own_plays s) |}
    else {| epoch := epoch s; rounds := S (rounds s); own_plays := own_plays s;
            own_rewards := own_rewards s; rival_plays := S (rival_plays s);
            in_all := in_all s |} in
  if ends after then forget after else after.

Definition earned_over_epochs own rival ends x T : Z :=
  in_all (Nat.iter T (next_round own rival ends x)
    {| epoch := 0; rounds := 0; own_plays := 0; own_rewards := []; rival_plays := 0; in_all := 0 |}).

(** An end that a strategy moves: an epoch ends with the second reward of at least 4. Each agent is
    played once at the start of an epoch; then agent 1 has index 0. *)
Example epoch_ends_moved :
  let own s := match own_rewards s with [] => 9 | r :: _ => r end in
  let rival s := match rival_plays s with O => 8 | _ => 0 end in
  let ends s := (2 <=? length (filter (fun r => (4 <=? r)%Z) (own_rewards s)))%nat in
  let x := listed [4] in let y := listed [3] in
  (forall k, 0 <= y k <= x k) /\
  earned_over_epochs own rival ends x 15 < earned_over_epochs own rival ends y 15.
Proof. game_case. Qed.

(** Luck keyed by all plays, and not by plays in the epoch: epochs of 2 and 5 rounds; the index of
    agent 0 is the sum of its rewards in the epoch, that of agent 1 is 1. *)
Example luck_keyed_by_all_plays :
  let own s := match own_rewards s with [] => 9 | l => fold_right Z.add 0 l end in
  let rival (_ : epochs_state) := 1 in
  let ends s := (rounds s =? nth (epoch s) [2; 5] 0)%nat in
  let x := listed [2; 2; 0; 2] in let y := listed [0; 2; 0; 2] in
  (forall k, 0 <= y k <= x k) /\
  earned_over_epochs own rival ends x 7 < earned_over_epochs own rival ends y 7.
Proof. game_case. Qed.

(** ** Segments *)

(** Segments that decisions move: the next visitor is of segment 1 after a reward of 4, and of segment 0
    after one of 2. Every segment is a game of its own; agent 1 has index 1 in segment 0, and 5 in
    segment 1. The state: segment, own plays, last reward in each segment, and what was earned. *)
Record segment_state := {
  seg : nat; own_k : nat; last_0 : Z; last_1 : Z; so_far : Z }.

Definition next_visitor (x : nat -> Z) (s : segment_state) : segment_state :=
  let zero := (seg s =? 0)%nat in
  let own := if zero then last_0 s else last_1 s in
  let rival := if zero then 1 else 5 in
  if rival <=? own
  then let r := x (own_k s) in
       {| seg := if r =? 4 then 1%nat else 0%nat; own_k := S (own_k s);
          last_0 := if zero then r else last_0 s; last_1 := if zero then last_1 s else r;
          so_far := so_far s + r |}
  else s.

Example segments_moved_by_decisions :
  let earned_in x T := so_far (Nat.iter T (next_visitor x)
    {| seg := 0; own_k := 0; last_0 := 9; last_1 := 9; so_far := 0 |}) in
  let x := listed [4] in let y := listed [2] in
  (forall k, 0 <= y k <= x k) /\ earned_in x 6%nat < earned_in y 6%nat.
Proof. game_case. Qed.

(** ** Flat rules, and several names *)

(** A flat rule plays the arm that was played least. Arms 0, ..., c - 1 are copies of the agent's only
    arm, and arm c is the rival's. Every play pays 1, so the agent earns its plays. The same game, with
    names for arms, is that of one person with c names under any rule of this package. *)
Definition plays_of_first (c : nat) (T : nat) : nat :=
  length (filter (fun a => (a <? c)%nat)
    (past (fun h => best_of (seq 0 (S c)) (fun a => - Z.of_nat (count a h))) T)).

Example copies_pay_under_a_flat_rule : (plays_of_first 1 6 < plays_of_first 2 6)%nat.
Proof. vm_compute. repeat constructor. Qed.

Example several_names_pay : (plays_of_first 1 12 < plays_of_first 3 12)%nat.
Proof. vm_compute. repeat constructor. Qed.

(** ** Theorem C *)

(** Larger marginals are not enough: the luck of the game is 0 or 1, equally likely. With the other
    strategy all plays pay 2, or all pay 0. With the first one plays pay 3 and 0 in turn, in one order
    or the other: every single play pays more in law. The rival has index 1. *)
Example larger_marginals :
  let pick x h := best_of [0; 1]%nat (fun j =>
    match j with O => by_last x (count 0 h) | _ => 1 end) in
  let x luck k := if Nat.even (luck + k) then 3 else 0 in
  let y luck (k : nat) := if Nat.even luck then 2 else 0 in
  let mean z T := earned_by (pick (z 0%nat)) (z 0%nat) T + earned_by (pick (z 1%nat)) (z 1%nat) T in
  (forall k, y 0%nat k + y 1%nat k <= x 0%nat k + x 1%nat k) /\ mean x 4%nat < mean y 4%nat.
Proof.
  intros. split; [|vm_compute; reflexivity]. intros k. unfold x, y.
  change (1 + k)%nat with (S k). change (0 + k)%nat with k.
  rewrite (Nat.even_succ k), <- Nat.negb_even. destruct (Nat.even k); simpl; lia.
Qed.

(** Agents chosen by the visitor: visitors are 0 or 1, equally likely. The index of agent 1 is 3 for
    visitors 0 and 1 for visitors 1. The first play of agent 0 pays 4 (2 with the other strategy); its
    later plays pay 0 for visitors 0 and 6 for visitors 1, with both. The sum over all courses of
    visitors is larger with the other strategy. *)
Fixpoint over_visitors (x : nat -> Z) (T : nat) (k : nat) (index : Z) : Z :=
  match T with
  | O => 0
  | S t =>
      let meets visitor :=
        let rival := if (visitor =? 0)%nat then 3 else 1 in
        let pay := match k with O => x 0%nat | _ => if (visitor =? 0)%nat then 0 else 6 end in
        if rival <=? index then 2 ^ Z.of_nat t * pay + over_visitors x t (S k) pay
        else over_visitors x t k index in
      meets 0%nat + meets 1%nat
  end.

Example agents_chosen_by_the_visitor :
  let x := listed [4] in let y := listed [2] in
  (forall k, 0 <= y k <= x k) /\ over_visitors x 6 0 9 < over_visitors y 6 0 9.
Proof. game_case. Qed.
