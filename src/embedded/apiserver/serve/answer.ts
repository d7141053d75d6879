import { printJson } from '#base/std';
import type { Form } from '../accept.ts';
import type { Core } from '../core.ts';
import type { ServedResource } from '../kinds.ts';
import type { ServedResponse } from '../request.ts';
import type { StatusBody } from '../status.ts';
import { otherShape } from '../status.ts';
import type { Stored } from '../stored.ts';
import { tableText } from '../table.ts';
import { goName } from '../write/decode.ts';
import { fullText, partialText } from './encode.ts';

type How = {
  readonly resource: ServedResource;
  readonly form: Form;
  readonly status: number;
  readonly warnings?: readonly string[];
};

/** One object as a response, in the requested form. */
export function objectAnswer(core: Core, stored: Stored, how: How): ServedResponse {
  const headers = { 'content-type': 'application/json', ...warningHeader(how.warnings ?? []) };
  return { status: how.status, headers, body: text(core, stored, how) };
}

function text(core: Core, stored: Stored, { resource, form }: How): string {
  if (form.as === 'object') return `${fullText(stored, resource)}\n`;
  if (form.as === 'partial') {
    if (form.ofList)
      throw otherShape('PartialObjectMetadataList', 'not a list', goName(resource, resource.kind));
    return `${partialText(stored, form.version)}\n`;
  }
  const metadata = { resourceVersion: stored.item.metadata.resourceVersion };
  return tableText({ resource, form, now: core.clock.now().getTime() }, [stored], metadata);
}

/** compat cluster 3.17: a Status that reports a plain success leaves its code out. */
export function statusAnswer(
  { code, ...status }: StatusBody,
  warnings: readonly string[] = [],
): ServedResponse {
  const headers = { 'content-type': 'application/json', ...warningHeader(warnings) };
  return {
    status: code,
    headers,
    body: `${printJson(code === 200 ? status : { ...status, code })}\n`,
  };
}

/** compat cluster 3.14: each warning as `299 - "text"`, joined as one header may carry several. */
export function warningHeader(warnings: readonly string[]): { warning?: string } {
  if (warnings.length === 0) return {};
  const quoted = [...new Set(warnings)].map((warning) => `299 - ${JSON.stringify(printable(warning))}`);
  return { warning: quoted.join(', ') };
}

const printable = (warning: string): string => warning.replaceAll(/[^\x20-\x7e]/g, '?');
