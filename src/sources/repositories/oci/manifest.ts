import { decodeText } from '#base/model';
import { FairleadError, isObject, parseJson } from '#base/std';
import { type Digest, isDigest } from '../archive/blobs.ts';

const helmConfig = 'application/vnd.cncf.helm.config.v1+json';
const helmContent = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const imageManifest = 'application/vnd.oci.image.manifest.v1+json';
const dockerManifest = 'application/vnd.docker.distribution.manifest.v2+json';
const indexes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/** Indexes are accepted too, so that one can be distinguished from a missing manifest. */
export const acceptedManifests = [imageManifest, dockerManifest, ...indexes].join(', ');

/** compat sources OCI-3: the default media types of content. */
const defaultMediaTypes = [
  'application/vnd.oci.image.layer.v1.tar',
  'application/vnd.oci.image.layer.v1.tar+gzip',
  helmContent,
];

const mostLayers = 10;

type Layer = { readonly mediaType: string; readonly digest: Digest; readonly size: number };

/** The fields of a manifest that we need: the content's descriptor, whether it is a chart, and its annotations. */
export type ArtifactManifest = {
  readonly isChart: boolean;
  readonly content: Layer;
  readonly annotations: Readonly<Record<string, string>>;
};

/** Reads a manifest by the rules of sources OCI-2. Throws InvalidSpec with the rule that it breaks. */
export function readManifest(
  bytes: Uint8Array,
  { mediaType, what }: { readonly mediaType: string; readonly what: string },
): ArtifactManifest {
  const manifest = parsed(bytes);
  if (isIndex(manifest, mediaType)) {
    // compat sources OCI-7
    throw refused(
      what,
      'it is an index of several images, which are not unpacked: name one image by its digest',
    );
  }
  if (!manifest || !Array.isArray(manifest.layers)) throw refused(what, 'it is no image manifest');
  const { layers: given, config, annotations } = manifest;
  if (given.length > mostLayers) {
    throw refused(what, `expected no more than ${mostLayers} oci layers, got ${given.length}`);
  }
  const layers = given.map((layer: unknown) => layerOf(layer, what));
  const isChart = isObject(config) && config.mediaType === helmConfig;
  const contents = layers.filter(({ mediaType: type }) => isContent(type, isChart));
  const [content] = contents;
  if (!content || contents.length > 1) {
    throw refused(what, `expected only a single oci content layer, got ${contents.length}`);
  }
  return { isChart, content, annotations: textsOf(annotations) };
}

/** Throws InvalidSpec where the content is of a type that is not, or no longer, allowed. */
export function refuseMediaType(
  { content: { mediaType } }: ArtifactManifest,
  what: string,
  allowed: readonly string[] = defaultMediaTypes,
): void {
  if (allowed.includes(mediaType)) return;
  throw refused(what, `oci layer media type ${mediaType} is not in the list of allowed media types`);
}

function parsed(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value = parseJson(decodeText(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isIndex(manifest: Record<string, unknown> | undefined, mediaType: string): boolean {
  const named = typeof manifest?.mediaType === 'string' ? manifest.mediaType : mediaType;
  return indexes.includes(named) || (Array.isArray(manifest?.manifests) && !Array.isArray(manifest.layers));
}

/** compat sources OCI-2. */
const isContent = (mediaType: string, isChart: boolean): boolean =>
  isChart ? mediaType === helmContent : /(?:tar\+gzip|tar\.gzip|tar)$/.test(mediaType);

function layerOf(value: unknown, what: string): Layer {
  const { mediaType, digest, size } = isObject(value) ? value : {};
  const isRight = typeof digest === 'string' && isDigest(digest) && typeof size === 'number' && size >= 0;
  if (!isRight || typeof mediaType !== 'string')
    throw refused(what, 'it names a layer without type, digest or size');
  return { mediaType, digest, size };
}

const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).flatMap(([name, text]) =>
      typeof text === 'string' ? [[name, text]] : [],
    ),
  );

const refused = (what: string, why: string): FairleadError =>
  new FairleadError('InvalidSpec', `artifact ${what} cannot be used: ${why}`);
