import { type Application, effectiveSources, type Source } from '#base/model';

/** The sources that are rendered and synced, from either field of the spec. */
export const sourcesOf = ({ spec }: Application): readonly Source[] => effectiveSources(spec);
