import { readdirSync, readFileSync } from 'node:fs';
import type { HelmOptions, KustomizeOptions, Source } from '#base/model';
import { parse } from '#lang/yaml';
import type { ErrorClass } from './error-class.ts';

/** What example.yaml says of the folder it lies in: how an Application renders it, and how a person would. */
type Told = {
  /** The folder an Application names; the example's own when absent. */
  readonly path?: string;
  /** `spec.source.kustomize` or `spec.source.helm`. */
  readonly kustomize?: KustomizeOptions;
  readonly helm?: HelmOptions;
  /** `spec.sources` instead of one source; paths are relative to the example. */
  readonly sources?: readonly Partial<Source>[];
  /** `kustomize.buildOptions` in argocd-cm. */
  readonly buildOptions?: string;
  /** Words a person adds to `kubectl kustomize <path>` or to `helm template <release> .`. */
  readonly flags?: readonly string[];
  /** The whole command line of helm, where the usual beginning is what the example changes. */
  readonly command?: readonly string[];
  /** Charts to be packed first: the folder, and the folder the archive goes to. */
  readonly archives?: readonly { readonly chart: string; readonly into: string }[];
  /** What a person runs helm with first, in the chart's folder. */
  readonly prepare?: readonly string[];
  /** What it names cannot be followed beforehand: the engine is shown everything, once it has missed something. */
  readonly wholeRepository?: boolean;
  /** Both must fail, in this way. */
  readonly fails?: ErrorClass;
  /** An option of the Application is refused before any engine runs: these words are in the message. */
  readonly refuses?: string;
  /** Parts of objects that must be in the result: proof that the example shows what it says. */
  readonly holds?: readonly object[];
  /** Names that must not be in it. */
  readonly lacks?: readonly string[];
};

/** The corpora, each a folder of testdata. */
export type Corpus = 'kustomize' | 'helm';

export type Example = Told & { readonly name: string; readonly about: string };

/** Every folder of a corpus in testdata is one example; its example.yaml opens with a sentence about it. */
export function examples(corpus: Corpus): Example[] {
  const folder = new URL(`./testdata/${corpus}/`, import.meta.url);
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(`${name}/example.yaml`, folder), 'utf8');
      const about = /^# (.+)/.exec(text)?.[1];
      if (!about)
        throw new Error(`${corpus}/${name}/example.yaml must open with a line saying what it is for`);
      return { name, about, ...(parse(text, { name, dialect: 'v3' }) as Told | null) };
    });
}
