import { call, constant, type Expr, type Fold, ident, list, operators } from './syntax.ts';

type Report = (at: number, message: string) => void;
type GlobalCall = { readonly at: number; readonly name: string; readonly args: readonly Expr[] };
type MemberCall = GlobalCall & { readonly target: Expr };
type Macro = (use: MemberCall, report: Report) => Expr | undefined;

const accu = operators.accumulator;

/** The expansion of a macro call; undefined when it is an ordinary call. */
export function expandGlobal(use: GlobalCall, report: Report): Expr | undefined {
  if (use.name !== 'has' || use.args.length !== 1) return undefined;
  const [arg] = use.args as [Expr];
  if (arg.is === 'select' && !arg.test) return { ...arg, at: use.at, test: true };
  report(arg.at, 'invalid argument to has() macro');
  return constant(use.at, false);
}

/** The same for `target.name(args)`. */
export function expandMember(use: MemberCall, report: Report): Expr | undefined {
  const key = `${use.name}/${use.args.length}`;
  return Object.hasOwn(macros, key) ? macros[key]?.(use, report) : undefined;
}

type Parts = Pick<Fold, 'variable' | 'second' | 'initial' | 'condition' | 'step' | 'result'>;

function fold({ at, target }: MemberCall, parts: Parts): Fold {
  return { is: 'fold', at, range: target, accu, ...parts };
}

/** A variable's name; otherwise undefined, and an error is reported. */
function nameOf(arg: Expr | undefined, report: Report): string | undefined {
  if (arg?.is !== 'ident') {
    report(arg?.at ?? 0, 'argument must be a simple name');
    return undefined;
  }
  if (arg.name === accu) {
    report(arg.at, 'iteration variable overwrites accumulator variable');
    return undefined;
  }
  return arg.name;
}

type Names = { readonly variable: string; readonly second: string | undefined };

function names(args: readonly Expr[], count: 1 | 2, report: Report): Names | undefined {
  const variable = nameOf(args[0], report);
  if (variable === undefined) return undefined;
  if (count === 1) return { variable, second: undefined };
  const second = nameOf(args[1], report);
  if (second === undefined) return undefined;
  if (second !== variable) return { variable, second };
  report(args[1]?.at ?? 0, `duplicate variable name: ${variable}`);
  return undefined;
}

const nothing = (at: number): Expr => constant(at, false);
const result = (at: number): Expr => ident(at, accu);

/** Builds a fold out of the arguments after the variables. */
const folding =
  (
    count: 1 | 2,
    build: (at: number, names: Names, args: readonly Expr[]) => Omit<Parts, keyof Names>,
  ): Macro =>
  (use, report) => {
    const found = names(use.args, count, report);
    if (!found) return nothing(use.at);
    return fold(use, { ...found, ...build(use.at, found, use.args.slice(count)) });
  };

const all = (count: 1 | 2): Macro =>
  folding(count, (at, _names, [test = nothing(at)]) => ({
    initial: constant(at, true),
    condition: call(at, operators.notStrictlyFalse, result(at)),
    step: call(at, operators.and, result(at), test),
    result: result(at),
  }));

const exists = (count: 1 | 2): Macro =>
  folding(count, (at, _names, [test = nothing(at)]) => ({
    initial: constant(at, false),
    condition: call(at, operators.notStrictlyFalse, call(at, operators.not, result(at))),
    step: call(at, operators.or, result(at), test),
    result: result(at),
  }));

const existsOne = (count: 1 | 2): Macro =>
  folding(count, (at, _names, [test = nothing(at)]) => ({
    initial: constant(at, 0n),
    condition: constant(at, true),
    step: call(at, operators.choose, test, call(at, '_+_', result(at), constant(at, 1n)), result(at)),
    result: call(at, operators.equal, result(at), constant(at, 1n)),
  }));

/** Collects the results of `step` for each item, or for each that passes the filter. */
const collecting = (
  count: 1 | 2,
  initial: (at: number) => Expr,
  step: (at: number, names: Names, transform: Expr) => Expr,
): Macro =>
  folding(count, (at, found, args) => {
    const transform = args.at(-1) ?? nothing(at);
    const added = step(at, found, transform);
    return {
      initial: initial(at),
      condition: constant(at, true),
      step: args.length > 1 ? call(at, operators.choose, args[0] as Expr, added, result(at)) : added,
      result: result(at),
    };
  });

const appended = (at: number, _names: Names, transform: Expr): Expr =>
  call(at, '_+_', result(at), list(at, transform));
const emptyList = (at: number): Expr => list(at);
const emptyMap = (at: number): Expr => ({ is: 'map', at, entries: [] });

const filter: Macro = folding(1, (at, { variable }, [test = nothing(at)]) => ({
  initial: list(at),
  condition: constant(at, true),
  step: call(
    at,
    operators.choose,
    test,
    call(at, '_+_', result(at), list(at, ident(at, variable))),
    result(at),
  ),
  result: result(at),
}));

const intoMap = (at: number, { variable }: Names, transform: Expr): Expr =>
  call(at, 'cel.@mapInsert', result(at), ident(at, variable), transform);
const entryIntoMap = (at: number, _names: Names, transform: Expr): Expr =>
  call(at, 'cel.@mapInsert', result(at), transform);

/** A name for a value, evaluated once. */
function bound(at: number, name: string, value: Expr, inside: Expr): Fold {
  return {
    is: 'fold',
    at,
    range: list(at),
    variable: '#unused',
    second: undefined,
    accu: name,
    initial: value,
    condition: constant(at, false),
    step: ident(at, name),
    result: inside,
  };
}

const method = (at: number, target: Expr, name: string, ...args: Expr[]): Expr => ({
  is: 'call',
  at,
  name,
  target,
  args,
});

const optMap =
  (wrap: (at: number, value: Expr) => Expr): Macro =>
  ({ at, target, args }, report) => {
    const name = nameOf(args[0], report);
    if (name === undefined) return nothing(at);
    const inside = bound(at, name, method(at, target, 'value'), args[1] as Expr);
    return call(
      at,
      operators.choose,
      method(at, target, 'hasValue'),
      wrap(at, inside),
      call(at, 'optional.none'),
    );
  };

const sortInput = '@__sortBy_input__';

const sortBy: Macro = ({ at, target, args }, report) => {
  const name = nameOf(args[0], report);
  if (name === undefined) return nothing(at);
  const input = ident(at, sortInput);
  const keys = macros['map/2']?.({ at, name: 'map', target: input, args }, report) ?? nothing(at);
  return bound(at, sortInput, target, method(at, input, '@sortByAssociatedKeys', keys));
};

const macros: Readonly<Record<string, Macro>> = {
  'all/2': all(1),
  'all/3': all(2),
  'exists/2': exists(1),
  'exists/3': exists(2),
  'exists_one/2': existsOne(1),
  'exists_one/3': existsOne(2),
  'existsOne/3': existsOne(2),
  'map/2': collecting(1, emptyList, appended),
  'map/3': collecting(1, emptyList, appended),
  'filter/2': filter,
  'transformList/3': collecting(2, emptyList, appended),
  'transformList/4': collecting(2, emptyList, appended),
  'transformMap/3': collecting(2, emptyMap, intoMap),
  'transformMap/4': collecting(2, emptyMap, intoMap),
  'transformMapEntry/3': collecting(2, emptyMap, entryIntoMap),
  'transformMapEntry/4': collecting(2, emptyMap, entryIntoMap),
  'optMap/2': optMap((at, value) => call(at, 'optional.of', value)),
  'optFlatMap/2': optMap((_at, value) => value),
  'sortBy/2': sortBy,
};
