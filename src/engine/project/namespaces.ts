import type { AppProject } from '#base/model';
import { FairleadError } from '#base/std';
import { compileRegex } from '#lang/regex';
import { glob, matcherOf } from '../glob.ts';

/** compat engine A-3: whether the controller reconciles applications of a namespace. */
export const isApplicationNamespace = (
  namespace: string,
  controlPlane: string,
  enabled: readonly string[],
): boolean => namespace === controlPlane || matchesAny(enabled, namespace);

/** compat engine P-23: applications outside the control plane's namespace need to be let in by their project. */
export function denyNamespace(
  project: AppProject,
  namespace: string,
  controlPlane: string,
): string | undefined {
  if (namespace === controlPlane || matchesAny(project.spec.sourceNamespaces ?? [], namespace))
    return undefined;
  return (
    `project ${project.metadata.name} does not permit applications in namespace ${namespace}; ` +
    'add it to spec.sourceNamespaces'
  );
}

/** compat engine A-3, P-23: globs, and regular expressions between slashes, which match anywhere. */
const matchesAny = (patterns: readonly string[], namespace: string): boolean =>
  patterns.some((pattern) => {
    const expression = expressionIn(pattern);
    return expression === undefined ? glob(pattern, namespace) : matchesExpression(expression, namespace);
  });

const expressionIn = (pattern: string): string | undefined => /^\/(.+)\/$/s.exec(pattern)?.[1];

/** An expression that RE2 cannot run permits no namespace; namespaceProblems() reports it. */
function matchesExpression(expression: string, namespace: string): boolean {
  try {
    return compileRegex(expression).test(namespace);
  } catch (error) {
    if (error instanceof FairleadError) return false;
    throw error;
  }
}

/** The entries of a list of namespaces that match nothing because they cannot be read, each with the reason. */
export function namespaceProblems(patterns: readonly string[] = []): string[] {
  return patterns.flatMap((pattern) => {
    const expression = expressionIn(pattern);
    const why = expression === undefined ? globProblem(pattern) : expressionProblem(expression);
    return why === undefined ? [] : [`the entry ${pattern} cannot be used: ${why}`];
  });
}

const globProblem = (pattern: string): string | undefined =>
  matcherOf(pattern) === undefined ? 'it is not a pattern' : undefined;

function expressionProblem(expression: string): string | undefined {
  try {
    compileRegex(expression);
    return undefined;
  } catch (error) {
    const { message } = FairleadError.from(error);
    // dev engine A-3: the peer's engine backtracks and reads these; here no text takes long to match, so they cannot be run
    return lookAround.test(expression)
      ? `${message}; look-ahead and look-behind are not supported: list the namespaces or write a glob`
      : message;
  }
}

const lookAround = /\(\?<?[=!]/;
