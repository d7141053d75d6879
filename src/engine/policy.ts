import { type Application, effectiveSources, type Source } from '#base/model';

/** What is rendered and synced, whichever field of the spec says it. */
export const sourcesOf = ({ spec }: Application): readonly Source[] => effectiveSources(spec);
