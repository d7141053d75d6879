/**
 * cel: the Common Expression Language, as Kubernetes 1.36 runs it in the rules of custom resources and policies.
 *
 * A text is parsed and its macros are expanded (`parse`, `macros`), the tree is checked against declared types
 * (`check`), and compiled into functions (`evaluate`) that charge the costs of Kubernetes' cost model. Functions
 * are in `library/`, each overload beside its signature. `schema-type` and `schema-value` turn a structural schema
 * and a JSON value of it into a type and a value.
 *
 * Promises:
 *  1. An expression is accepted or refused, and evaluates, as in k8s.io/apiserver 0.36.3. `testdata/` has its
 *     results for 2,512 expressions; `ours` in it lists the 282 that differ here, 200 only in cost, 65 only in
 *     words.
 *  2. int, uint, timestamps and durations are exact; going over their range is a fault and never a rounded number.
 *  3. A fault is a value. An operator that decides without it (`&&`, `||`, the aggregate macros) absorbs it.
 *  4. Every evaluation ends: going over the cost limit is a fault of its own kind that nothing absorbs.
 *  5. An expression sees its variables and nothing else; it has no clock and changes nothing.
 *
 * Refuses: texts longer than 100,000 characters or nested 250 deep; constructing objects; `cel.bind` and the
 * `math` functions, which Kubernetes does not offer either; selectors in authorizer checks, which only policies
 * may use.
 */
export { type CelType, listOf, mapOf, optionalOf, printType, simpleTypes } from './cel-type.ts';
export { jsonValue, lazyObject } from './json-value.ts';
export { Authorizer, authorizerType } from './library/authorizer.ts';
export { CelProgram, type CelResult, CelSyntaxError, compileCel } from './program.ts';
export { asResource, type ExprSchema, type SchemaType, schemaType } from './schema-type.ts';
export { SchemaValues } from './schema-value.ts';
export { CelError, type CelValue, ListValue, none, OptionalValue } from './value.ts';
