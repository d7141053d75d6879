/** The field manager every write of ours is recorded under (engine X-60). */
export const fieldManager = 'argocd-controller';
