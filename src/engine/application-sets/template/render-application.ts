import {
  type Application,
  type ApplicationSet,
  type ApplicationSetTemplate,
  argoApiVersion,
  finalizer,
  ignoredFieldText,
  knownApplicationSpec,
  type UnknownField,
} from '#base/model';
import { equal, FairleadError, isObject, printJson } from '#base/std';
import type { TemplateHost } from '#lang/go-template';
import { isEmptySet, type SetParameters } from '../parameters/set-parameters.ts';
import { mergeTemplate } from './merge-template.ts';
import { SetRenderer } from './set-renderer.ts';
import { applyTemplatePatch } from './template-patch.ts';

/** One result of a generator: its parameters, and the generator's own template where it has one (sources AS-7). */
export type GeneratorResult = {
  readonly parameters: SetParameters;
  readonly template?: ApplicationSetTemplate | undefined;
};

type RenderedSet = {
  /** In generation order; incomplete when there are problems. */
  readonly applications: readonly Application[];
  /** compat sources AS-2: one is enough to end the pass without any write. */
  readonly problems: readonly string[];
  /** What a templatePatch sets that an Application does not have. */
  readonly warnings: readonly string[];
};

/** By the generator's template, then by the text of the parameters. */
type RenderedBefore = Map<ApplicationSetTemplate | undefined, Map<string, Drafted>>;

type Drafted = { readonly app: Application; readonly unknown: readonly UnknownField[] };
type ApplicationDraft = (set: SetParameters) => Drafted;

/**
 * Renders the applications of one generation of one set. Templates are compiled once; a parameter set with the same content
 * yields the very same Application as in the last pass, so that the comparison with the live one can be skipped as well.
 */
export class ApplicationRenderer {
  /** For the generators' own texts: `values`, and what a matrix interpolates. */
  readonly texts: SetRenderer;
  readonly #set: ApplicationSet;
  readonly #drafts = new Map<ApplicationSetTemplate | undefined, ApplicationDraft>();
  #last: RenderedBefore = new Map();

  constructor(set: ApplicationSet, host: TemplateHost = {}) {
    this.#set = set;
    this.texts = new SetRenderer(set.spec, host);
  }

  /** Whether this renderer is still the one for a set: the same object in the same generation. */
  isFor({ metadata, spec }: ApplicationSet): boolean {
    const own = this.#set;
    return (
      own.spec === spec ||
      (own.metadata.namespace === metadata.namespace &&
        own.metadata.name === metadata.name &&
        equal(own.spec, spec))
    );
  }

  /** compat sources AS-2, AS-3: all applications that can be rendered, and what kept the others from it. */
  render(results: readonly GeneratorResult[]): RenderedSet {
    const applications: Application[] = [];
    const problems: string[] = [];
    const warnings = new Set<string>();
    const next: RenderedBefore = new Map();
    for (const { parameters, template } of results) {
      try {
        const { app, unknown } = this.#rendered(parameters, template, next);
        applications.push(app);
        for (const field of unknown) warnings.add(`spec.templatePatch: ${ignoredFieldText(field)}`);
      } catch (thrown) {
        const { message } = FairleadError.from(thrown);
        problems.push(
          `failed to render an application from the parameters ${nameIn(parameters)}: ${message}`,
        );
      }
    }
    this.#last = next;
    return { applications, problems, warnings: [...warnings] };
  }

  #rendered(
    parameters: SetParameters,
    own: ApplicationSetTemplate | undefined,
    next: RenderedBefore,
  ): Drafted {
    const id = textOf(parameters);
    const drafted = this.#last.get(own)?.get(id) ?? next.get(own)?.get(id) ?? this.#draft(own)(parameters);
    const kept = next.get(own) ?? new Map<string, Drafted>();
    next.set(own, kept.set(id, drafted));
    return drafted;
  }

  #draft(own: ApplicationSetTemplate | undefined): ApplicationDraft {
    const known = this.#drafts.get(own);
    if (known) return known;
    const { metadata, spec } = this.#set;
    const blank = blankApplication(mergeTemplate(own, spec.template));
    const tree = this.texts.tree(blank, 'template');
    const draft: ApplicationDraft = (set) => {
      const app = isEmptySet(set) ? blank : this.#finalized(tree(set));
      const patch = spec.templatePatch;
      const patched = patch ? applyTemplatePatch(app, this.texts.text(patch, set)) : app;
      const unknown: UnknownField[] = [];
      const known = { ...patched, spec: knownApplicationSpec(patched.spec, 'spec', unknown) };
      return { app: inNamespace(known, metadata.namespace), unknown };
    };
    // generators read again have new templates: only those of the last read are of use
    if (this.#drafts.size > 1000) this.#drafts.clear();
    this.#drafts.set(own, draft);
    return draft;
  }

  /** compat sources AST-9: a template that lists any finalizer gets exactly its list. */
  #finalized(app: Application): Application {
    const { finalizers = [] } = app.metadata;
    if (finalizers.length > 0 || this.#set.spec.syncPolicy?.preserveResourcesOnDeletion) return app;
    return { ...app, metadata: { ...app.metadata, finalizers: [finalizer.resources] } };
  }
}

const texts = new WeakMap<SetParameters, string>();

/** Parameters never change: those that a generator returns again are not printed again. */
function textOf(parameters: SetParameters): string {
  const known = texts.get(parameters);
  if (known !== undefined) return known;
  const text = printJson(parameters);
  texts.set(parameters, text);
  return text;
}

function blankApplication({ metadata = {}, spec = {} }: ApplicationSetTemplate): Application {
  const { name = '', labels, annotations, finalizers } = metadata;
  return {
    apiVersion: argoApiVersion,
    kind: 'Application',
    metadata: {
      name,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
    },
    // the cluster would drop what an Application does not have, and each comparison would differ; the set's warnings name it
    spec: { ...knownApplicationSpec(spec, 'spec', []), destination: spec.destination ?? {} },
  };
}

/** compat sources AS-3: an application lives in the namespace of its set, whatever the template names. */
function inNamespace(app: Application, namespace: string | undefined): Application {
  const { namespace: _templated, ...metadata } = app.metadata;
  return { ...app, metadata: { ...metadata, ...(namespace ? { namespace } : {}) } };
}

/** How a person recognizes a parameter set; values may be secrets of a plugin, so only names that say where it is from. */
function nameIn(set: SetParameters): string {
  const path = isObject(set.path) ? set.path.path : set.path;
  const shown = [
    ['name', set.name],
    ['path', path],
    ['repository', set.repository],
    ['number', set.number],
  ].filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  if (shown.length > 0) return shown.map(([key, text]) => `${key}=${text}`).join(' ');
  return `with the names ${Object.keys(set).slice(0, 10).join(', ')}`;
}
