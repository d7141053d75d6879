import { type CelType, opaque } from '../cel-type.ts';
import type { Charge, Rows } from '../function-table.ts';
import { CelError, type CelValue, Opaque } from '../value.ts';

/** The subject of an authorization check: a path, or a verb on a resource; `''` stands for a part that is not set. */
export type AuthorizationSubject =
  | { readonly path: string }
  | {
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    };

type Verdict = { readonly allowed: boolean; readonly reason: string };
/** `account`: the service account that is checked instead of the user. */
type Judge = (
  verb: string,
  attributes: AuthorizationSubject,
  account?: { namespace: string; name: string },
) => Verdict;

const names = {
  authorizer: 'kubernetes.authorization.Authorizer',
  path: 'kubernetes.authorization.PathCheck',
  group: 'kubernetes.authorization.GroupCheck',
  resource: 'kubernetes.authorization.ResourceCheck',
  decision: 'kubernetes.authorization.Decision',
} as const;

/** Authorization checks for policies: `authorizer.group('apps').resource('deployments').check('get').allowed()`. */
export class Authorizer extends Opaque {
  readonly typeName = names.authorizer;
  readonly judge: Judge;
  readonly #request: AuthorizationSubject;

  /** `request`: the resource of the request under review. */
  constructor(judge: Judge, request: AuthorizationSubject) {
    super();
    this.judge = judge;
    this.#request = request;
  }

  override field(name: string): CelValue | undefined {
    return name === 'requestResource'
      ? new CheckedRequest(names.resource, this.judge, this.#request)
      : undefined;
  }

  equals(other: Opaque): boolean {
    return this === other;
  }
}

class CheckedRequest extends Opaque {
  readonly typeName: string;
  readonly judge: Judge;
  readonly attributes: AuthorizationSubject;

  constructor(typeName: string, judge: Judge, attributes: AuthorizationSubject) {
    super();
    this.typeName = typeName;
    this.judge = judge;
    this.attributes = attributes;
  }

  with(
    change: Partial<Exclude<AuthorizationSubject, { path: string }>>,
    typeName = this.typeName,
  ): CheckedRequest {
    return new CheckedRequest(typeName, this.judge, {
      ...this.attributes,
      ...change,
    } as AuthorizationSubject);
  }

  equals(other: Opaque): boolean {
    return this === other;
  }
}

class Decided extends Opaque {
  readonly typeName = names.decision;
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super();
    this.verdict = verdict;
  }

  equals(other: Opaque): boolean {
    return this === other;
  }
}

const blank = { group: '', resource: '', subresource: '', namespace: '', name: '' };

function asAccount({ judge }: Authorizer, namespace: string, name: string): CelValue {
  const account = { namespace, name };
  return new Authorizer((verb, attributes) => judge(verb, attributes, account), blank);
}

function pathCheck({ judge }: Authorizer, path: string): CelValue {
  if (path === '') return new CelError('path must not be empty');
  return new CheckedRequest(names.path, judge, { path });
}

const decide = ({ judge, attributes }: CheckedRequest, verb: string): CelValue =>
  new Decided(judge(verb, attributes));

export const authorizerRows: Rows = {
  path: [[`${names.authorizer}.(string) -> ${names.path}`, pathCheck]],
  group: [
    [
      `${names.authorizer}.(string) -> ${names.group}`,
      ({ judge }: Authorizer, group: string) => new CheckedRequest(names.group, judge, { ...blank, group }),
    ],
  ],
  serviceAccount: [[`${names.authorizer}.(string, string) -> ${names.authorizer}`, asAccount]],
  resource: [
    [
      `${names.group}.(string) -> ${names.resource}`,
      (requested: CheckedRequest, resource: string) => requested.with({ resource }, names.resource),
    ],
  ],
  subresource: [
    [
      `${names.resource}.(string) -> ${names.resource}`,
      (requested: CheckedRequest, subresource: string) => requested.with({ subresource }),
    ],
  ],
  namespace: [
    [
      `${names.resource}.(string) -> ${names.resource}`,
      (requested: CheckedRequest, namespace: string) => requested.with({ namespace }),
    ],
  ],
  name: [
    [
      `${names.resource}.(string) -> ${names.resource}`,
      (requested: CheckedRequest, name: string) => requested.with({ name }),
    ],
  ],
  check: [
    [`${names.path}.(string) -> ${names.decision}`, decide],
    [`${names.resource}.(string) -> ${names.decision}`, decide],
  ],
  errored: [[`${names.decision}.() -> bool`, () => false]],
  error: [[`${names.decision}.() -> string`, () => '']],
  allowed: [[`${names.decision}.() -> bool`, ({ verdict }: Decided) => verdict.allowed]],
  reason: [[`${names.decision}.() -> string`, ({ verdict }: Decided) => verdict.reason]],
};

/** compat: a check is expensive, because it may query an external authorizer. */
const dear: Charge = () => 350_000;
const cheap: Charge = () => 1;
export const authorizerCharges: Readonly<Record<string, Charge>> = {
  check: dear,
  ...Object.fromEntries(
    ['path', 'group', 'serviceAccount', 'resource', 'subresource', 'namespace', 'name', 'allowed'].map(
      (name) => [name, cheap],
    ),
  ),
};

/** The type of the variable `authorizer`. */
export const authorizerType: CelType = opaque(names.authorizer);

/** Fields that opaque types have. */
export const opaqueFields: ReadonlyMap<string, ReadonlyMap<string, CelType>> = new Map([
  [names.authorizer, new Map([['requestResource', opaque(names.resource)]])],
]);
