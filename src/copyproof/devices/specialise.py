"""Functions of the engine with what is known of their arguments put in, before they are compiled.

A kernel of the engine carries all rules, and asks the plan in every round which of them it is for.
On a GPU the code of the others would cost registers, and minutes of compiling. Here the plan is
known before: ``specialise`` reads a function's source, decides every condition that its known
arguments decide, leaves out what can then not be reached, and does the same with each function that
is called, for the arguments that it is called with. Nothing else is changed: no value is computed
here, only conditions are decided. What remains is the engine's own code.

What is known of an array is an object with the same attributes: ``Sized`` has a shape, ``Rows``
answers the same for every index.
"""

import ast
import copy
import inspect
import math
import operator
import textwrap
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NamedTuple

from numba.core.dispatcher import Dispatcher


class _Unknown:
    """In place of a value that is not known before the game."""


UNKNOWN = _Unknown()


class Sized(NamedTuple):
    """An array of which the shape is known; lengths that are not are UNKNOWN."""

    shape: tuple[Any, ...]


class Rows(NamedTuple):
    """An array of which every row is alike in what is known of it."""

    row: Any


_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


class Specialiser:
    """Specialised functions, each made once; ``compile_`` turns one into what a kernel can call."""

    def __init__(self, compile_: Callable[[FunctionType, Dispatcher], Any]) -> None:
        self._compile = compile_
        self._made: dict[tuple[Any, ...], Any] = {}

    def specialise(self, function: Dispatcher, known: dict[str, Any]) -> Any:
        """A function of the engine for arguments of which some are known."""
        key = (function, *sorted((name, repr(value)) for name, value in known.items()))
        if key not in self._made:
            self._made[key] = self._compile(self._specialised(function.py_func, known), function)
        return self._made[key]

    def _specialised(self, function: Any, known: dict[str, Any]) -> FunctionType:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        definition = tree.body[0]
        assert isinstance(definition, ast.FunctionDef)
        definition.decorator_list = []
        definition.returns = None
        for argument in definition.args.args:
            argument.annotation = None
        names = dict(function.__globals__)
        stored = _times_stored(definition)
        known = {name: value for name, value in known.items() if name not in stored}
        pruned = _Pruner(self, known, names, stored)
        definition.body = pruned.statements(definition.body) or [ast.Pass()]
        ast.fix_missing_locations(tree)
        exec(compile(tree, f"<specialised {function.__name__}>", "exec"), names)
        made = names[function.__name__]
        assert isinstance(made, FunctionType)
        return made


def _times_stored(definition: ast.FunctionDef) -> dict[str, int]:
    """How often each name is assigned to."""
    counts: dict[str, int] = {}
    for node in ast.walk(definition):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            counts[node.id] = counts.get(node.id, 0) + 1
    return counts


class _Pruner(ast.NodeTransformer):
    """Decides the conditions of one function; ``names`` are its globals, which are added to."""

    def __init__(
        self,
        specialiser: Specialiser,
        known: dict[str, Any],
        names: dict[str, Any],
        stored: dict[str, int],
    ) -> None:
        self._specialiser = specialiser
        self._known = dict(known)
        self._names = names
        self._stored = stored

    def statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements that can be reached."""
        kept: list[ast.stmt] = []
        for statement in body:
            found = self.visit(statement)
            kept += found if isinstance(found, list) else [found]
            if kept and isinstance(kept[-1], ast.Return | ast.Continue | ast.Break):
                break
        return kept

    def visit_If(self, node: ast.If) -> Any:
        value = self.value(node.test)
        if value is not UNKNOWN:
            return self.statements(node.body if value else node.orelse)
        node.test = self.visit(node.test)
        node.body = self.statements(node.body) or [ast.Pass()]
        node.orelse = self.statements(node.orelse)
        return node

    def visit_For(self, node: ast.For) -> Any:
        node.iter = self.visit(node.iter)
        node.body = self.statements(node.body) or [ast.Pass()]
        return node

    def visit_While(self, node: ast.While) -> Any:
        if self.value(node.test) is False:
            return []
        node.test = self.visit(node.test)
        node.body = self.statements(node.body) or [ast.Pass()]
        return node

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Constant):
            return []  # a docstring
        node.value = self.visit(node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        for target in node.targets:
            self._learn(target, self.value(node.value))
        node.value = self.visit(node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        assert node.value is not None
        assign = ast.Assign(targets=[node.target], value=node.value)
        return self.visit(ast.copy_location(assign, node))

    def _learn(self, target: ast.expr, value: Any) -> None:
        """Keep what is known of a name that is assigned to once."""
        if isinstance(target, ast.Tuple) and isinstance(value, tuple):
            for one, its in zip(target.elts, value, strict=True):
                self._learn(one, its)
            return
        name = target.id if isinstance(target, ast.Name) else ""
        if value is not UNKNOWN and self._stored.get(name) == 1:
            self._known[name] = value

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        value = self.value(node.test)
        if value is not UNKNOWN:
            return self.visit(node.body if value else node.orelse)
        return self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """Leave out operands that decide nothing."""
        value = self.value(node)
        if value is not UNKNOWN:
            return ast.Constant(bool(value))
        kept = [self.visit(one) for one in node.values if self.value(one) is UNKNOWN]
        if len(kept) == 1:
            return kept[0]
        node.values = kept
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        called = self._names.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if isinstance(called, Dispatcher):
            parameters = list(inspect.signature(called.py_func).parameters)
            given = dict(zip(parameters, node.args, strict=False))
            given |= {str(one.arg): one.value for one in node.keywords}
            known = {name: self.value(one) for name, one in given.items()}
            known = {name: value for name, value in known.items() if value is not UNKNOWN}
            made = self._specialiser.specialise(called, known)
            assert isinstance(node.func, ast.Name)
            name = f"{node.func.id}_{id(made)}"
            self._names[name] = made
            node.func = ast.Name(name, ast.Load())
        return self.generic_visit(node)

    def value(self, node: ast.expr) -> Any:
        """What an expression is, or UNKNOWN."""
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return self._named(node.id)
            case ast.Attribute():
                of = self.value(node.value)
                return UNKNOWN if of is UNKNOWN else getattr(of, node.attr, UNKNOWN)
            case ast.Subscript():
                return self._item(self.value(node.value), self.value(node.slice))
            case ast.UnaryOp(op=ast.Not()):
                of = self.value(node.operand)
                return UNKNOWN if of is UNKNOWN else not of
            case ast.BoolOp():
                return self._combined(node)
            case ast.Compare(ops=[op]):
                left, right = self.value(node.left), self.value(node.comparators[0])
                decided = left is not UNKNOWN and right is not UNKNOWN and type(op) in _COMPARISONS
                return _COMPARISONS[type(op)](left, right) if decided else UNKNOWN
            case ast.Call(func=ast.Name(id="bool"), args=[of]):
                inner = self.value(of)
                return UNKNOWN if inner is UNKNOWN else bool(inner)
            case ast.Call(func=ast.Attribute(attr="isnan"), args=[of]):
                inner = self.value(of)
                return UNKNOWN if inner is UNKNOWN else math.isnan(inner)
            case ast.Call(func=ast.Name(id=name), args=args) if not node.keywords:
                return self._answer(self._names.get(name), args)
            case ast.BinOp(op=ast.BitAnd()):
                left, right = self.value(node.left), self.value(node.right)
                return UNKNOWN if UNKNOWN in (left, right) else left & right
            case _:
                return UNKNOWN

    def _named(self, name: str) -> Any:
        if name in self._known:
            return self._known[name]
        if name in self._stored:
            return UNKNOWN
        found = self._names.get(name, UNKNOWN)
        return found if isinstance(found, int | float | type) else UNKNOWN

    def _item(self, of: Any, place: Any) -> Any:
        if isinstance(of, Rows):
            return of.row
        if isinstance(of, tuple) and isinstance(place, int):
            return of[place]
        return UNKNOWN

    def _combined(self, node: ast.BoolOp) -> Any:
        decides = isinstance(node.op, ast.Or)
        values = [self.value(one) for one in node.values]
        if any(value is not UNKNOWN and bool(value) == decides for value in values):
            return decides
        return UNKNOWN if any(value is UNKNOWN for value in values) else not decides

    def _answer(self, called: Any, args: list[ast.expr]) -> Any:
        """What a function of the engine says that is one question about known arguments."""
        if not isinstance(called, Dispatcher):
            return UNKNOWN
        tree = ast.parse(textwrap.dedent(inspect.getsource(called.py_func))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        body = [one for one in tree.body if not isinstance(one, ast.Expr)]
        if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
            return UNKNOWN
        parameters = [one.arg for one in tree.args.args]
        known = dict(zip(parameters, (self.value(one) for one in args), strict=True))
        known = {name: value for name, value in known.items() if value is not UNKNOWN}
        inner = _Pruner(self._specialiser, known, dict(called.py_func.__globals__), {})
        return inner.value(copy.deepcopy(body[0].value))
