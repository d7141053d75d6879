/** One field that another manager owns and that this apply would change. */
export type Conflict = {
  /** `"kubectl"`, or `"hpa" with subresource "scale" using apps/v1`: how Kubernetes names the owner. */
  readonly manager: string;
  /** `.spec.replicas` */
  readonly field: string;
};

/** compat cluster 3.9: the message and the causes of the 409 Status of Kubernetes. */
export function describeConflicts(conflicts: readonly Conflict[]): {
  message: string;
  causes: { reason: 'FieldManagerConflict'; message: string; field: string }[];
} {
  const causes = conflicts.map(({ manager, field }) => ({
    reason: 'FieldManagerConflict' as const,
    message: `conflict with ${manager}`,
    field,
  }));
  const [only] = conflicts;
  const message =
    only !== undefined && conflicts.length === 1
      ? `Apply failed with 1 conflict: conflict with ${only.manager}: ${only.field}`
      : `Apply failed with ${conflicts.length} conflicts: ${byManager(conflicts).join('\n')}`;
  return { message, causes };
}

function byManager(conflicts: readonly Conflict[]): string[] {
  const managers = [...new Set(conflicts.map(({ manager }) => manager))];
  return managers.flatMap((manager) => [
    `conflicts with ${manager}:`,
    ...conflicts.filter((conflict) => conflict.manager === manager).map(({ field }) => `- ${field}`),
  ]);
}
