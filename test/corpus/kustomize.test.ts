import { testCorpus } from './differential.ts';

// what an Application renders is what `kubectl kustomize` prints for the folder, or for the folder as edited by hand
testCorpus('kustomize', 60);
