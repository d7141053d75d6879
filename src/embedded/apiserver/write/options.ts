import type { RequestUser } from '../authorize.ts';
import { flag } from '../path.ts';
import { badRequest, type FieldError, invalid } from '../status.ts';

/** The options of a write, from its query. */
export type ServedWriteOptions = {
  readonly manager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  readonly user: RequestUser;
  /** Adds a warning to the response. */
  readonly warn: (message: string) => void;
};

export type ServedApplyOptions = ServedWriteOptions & { readonly force: boolean };

type Verb = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

type Writer = {
  readonly agent: string;
  readonly user: RequestUser;
  readonly warn: (message: string) => void;
  /** An apply must name its manager. */
  readonly applies?: boolean;
};

/** Throws Invalid for values Kubernetes refuses. `agent` is the default manager. */
export function parseWriteOptions(query: URLSearchParams, verb: Verb, who: Writer): ServedWriteOptions {
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') || 'Warn';
  const errors = [
    ...(who.applies && fieldManager === '' ? [managerRequired] : []),
    ...dryRunErrors(query.getAll('dryRun')),
    ...managerErrors(fieldManager),
    ...validationErrors(fieldValidation),
  ];
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: verb }, '', errors);
  return {
    manager: fieldManager || managerOf(who.agent),
    dryRun: query.getAll('dryRun').includes('All'),
    fieldValidation: fieldValidation as ServedWriteOptions['fieldValidation'],
    user: who.user,
    warn: who.warn,
  };
}

const managerRequired: FieldError = {
  type: 'Required value',
  field: 'fieldManager',
  detail: 'is required for apply patch',
};

/** compat cluster 3.6: apply must name its manager, and nothing else may be forced. */
export function parseApplyOptions(query: URLSearchParams, options: ServedWriteOptions): ServedApplyOptions {
  if (!query.get('fieldManager')) throw patchOptionsError(managerRequired);
  return { ...options, force: flag(query, 'force') };
}

export function refuseForce(query: URLSearchParams): void {
  if (query.has('force')) {
    throw patchOptionsError({
      type: 'Forbidden',
      field: 'force',
      detail: 'may not be specified for non-apply patch',
    });
  }
}

const patchOptionsError = (error: FieldError): Error =>
  invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [error]);

function dryRunErrors(values: readonly string[]): FieldError[] {
  const wrong = values.filter((value) => value !== 'All' && value !== '');
  if (wrong.length === 0) return [];
  return [{ type: 'Unsupported value', field: 'dryRun', value: values, detail: 'supported values: "All"' }];
}

function managerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > 128) {
    errors.push({ type: 'Too long', field: 'fieldManager', detail: 'may not be more than 128 bytes' });
  }
  const odd = /[\p{C}\p{Zl}\p{Zp}]/u.exec(manager);
  if (odd) {
    const code = odd[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    const detail = `invalid character U+${code} (at position ${Buffer.byteLength(manager.slice(0, odd.index))})`;
    errors.push({ type: 'Invalid value', field: 'fieldManager', value: manager, detail });
  }
  return errors;
}

function validationErrors(value: string): FieldError[] {
  if (['Ignore', 'Warn', 'Strict'].includes(value)) return [];
  const detail = 'supported values: "", "Ignore", "Strict", "Warn"';
  return [{ type: 'Unsupported value', field: 'fieldValidation', value, detail }];
}

/** compat cluster 3.9: the user agent up to its first slash. */
function managerOf(agent: string): string {
  const name = agent.split('/', 1)[0] ?? '';
  const printable = [...name].filter((char) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(char)).join('');
  return printable.slice(0, 128) || 'unknown';
}

/** The options of a delete, from its query or its body. */
export type DeleteRequest = {
  readonly propagationPolicy: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly gracePeriodSeconds: number | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun: boolean;
  /** The whole collection is to be deleted. */
  readonly isOneOfMany?: boolean;
};

type DeleteBody = {
  propagationPolicy?: unknown;
  gracePeriodSeconds?: unknown;
  preconditions?: { uid?: string; resourceVersion?: string } | null;
  orphanDependents?: boolean | null;
  dryRun?: string[] | null;
};

export function parseDeleteRequest(query: URLSearchParams, body: DeleteBody): DeleteRequest {
  const policy = body.propagationPolicy ?? query.get('propagationPolicy') ?? undefined;
  const orphan =
    body.orphanDependents ?? (query.has('orphanDependents') ? flag(query, 'orphanDependents') : undefined);
  const grace = body.gracePeriodSeconds ?? query.get('gracePeriodSeconds') ?? undefined;
  const dryRun = [...(body.dryRun ?? []), ...query.getAll('dryRun')];
  const errors = [...policyErrors(policy, orphan), ...dryRunErrors(dryRun)];
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  refuseGrace(body.gracePeriodSeconds, grace);
  return {
    propagationPolicy: (policy ?? legacyPolicy(orphan)) as DeleteRequest['propagationPolicy'],
    gracePeriodSeconds: grace === undefined ? undefined : Number(grace),
    preconditions: body.preconditions ?? {},
    dryRun: dryRun.includes('All'),
  };
}

/** compat cluster 3.7: a body is decoded, a query is parsed, and each has its own error message. */
function refuseGrace(sent: unknown, grace: unknown): void {
  if (sent !== undefined && typeof sent !== 'number') {
    const found = typeof sent;
    throw badRequest(
      `json: cannot unmarshal ${found} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`,
    );
  }
  if (grace !== undefined && !/^-?\d+$/.test(String(grace))) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(String(grace))}: invalid syntax`);
  }
}

const legacyPolicy = (orphan: boolean | undefined): string | undefined =>
  orphan === undefined ? undefined : orphan ? 'Orphan' : 'Background';

function policyErrors(policy: unknown, orphan: unknown): FieldError[] {
  const field = 'propagationPolicy';
  if (policy !== undefined && orphan !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    return [{ type: 'Invalid value', field, value: policy, detail }];
  }
  if (policy === undefined || ['Background', 'Foreground', 'Orphan'].includes(String(policy))) return [];
  const detail = 'supported values: "Foreground", "Background", "Orphan", "nil"';
  return [{ type: 'Unsupported value', field, value: policy, detail }];
}
