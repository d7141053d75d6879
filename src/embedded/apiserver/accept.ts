import type { ServedResource } from './kinds.ts';
import { badRequest, noRepresentation, notAcceptable } from './status.ts';

/** The requested form of objects: as they are, as a Table, or their metadata alone. */
export type Form =
  | { readonly as: 'object' }
  | { readonly as: 'table'; readonly version: string; readonly include: 'None' | 'Metadata' | 'Object' }
  | { readonly as: 'partial'; readonly version: string; readonly ofList: boolean };

type MediaType = { readonly type: string; readonly parameters: Readonly<Record<string, string>> };

/** The media types of an Accept header in the order written; weights are ignored. */
export function mediaTypes(header: string): MediaType[] {
  return header
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [type = '', ...rest] = part.split(';').map((piece) => piece.trim());
      const parameters = rest.map((piece) => {
        const cut = piece.indexOf('=');
        return cut < 0 ? [piece, ''] : [piece.slice(0, cut), piece.slice(cut + 1).replaceAll('"', '')];
      });
      return { type: type.toLowerCase(), parameters: Object.fromEntries(parameters) };
    });
}

/**
 * compat cluster 3.19: the media types that the server offers; a client that accepts only others gets 406 with
 * this list.
 */
export const spoken = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const streams = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
const plain = new Set(['application/json', 'application/*', '*/*']);

/** Whether YAML is the first of the accepted media types that the server offers. */
export function wantsYaml(accept: string | undefined): boolean {
  if (!accept?.includes('yaml')) return false;
  const first = mediaTypes(accept).find(({ type }) => plain.has(type) || type === 'application/yaml');
  return first?.type === 'application/yaml';
}

/** The requested kind, and whether it can be watched. */
type RequestedResource = { readonly resource?: ServedResource; readonly streamed?: boolean };

/**
 * The first accepted form that the server offers. Throws NotAcceptable when there is none, naming streams where
 * there are any.
 */
export function negotiate(
  accept: string | undefined,
  includeObject: string | null,
  of: RequestedResource = {},
): Form {
  const wanted = mediaTypes(accept ?? '');
  if (wanted.length === 0) return { as: 'object' };
  for (const { type, parameters } of wanted) {
    if (!plain.has(type)) continue;
    const form = formOf(parameters, includeObject);
    if (form) return form;
  }
  const isSpoken = wanted.some(({ type }) => plain.has(type) || spoken.includes(type));
  // compat cluster 3.17: custom kinds are served by another component of a real server
  if (isSpoken || of.resource?.custom) throw notAcceptable(spoken);
  throw noRepresentation(of.streamed ? [...spoken, ...streams] : spoken);
}

function formOf(
  parameters: Readonly<Record<string, string>>,
  includeObject: string | null,
): Form | undefined {
  const { as, g: group, v: version = 'v1' } = parameters;
  if (as === undefined) return { as: 'object' };
  if (group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') {
    return { as: 'partial', version, ofList: as === 'PartialObjectMetadataList' };
  }
  if (as !== 'Table') return undefined;
  return { as: 'table', version, include: includeOf(includeObject || 'Metadata') };
}

function includeOf(text: string): 'None' | 'Metadata' | 'Object' {
  if (text === 'Object' || text === 'None' || text === 'Metadata') return text;
  const why = `includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: ${why}`);
}
