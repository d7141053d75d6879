import { testCorpus } from './differential.ts';

// what an Application renders is what `helm template` prints for the chart with the flags a person would pass
testCorpus('helm', 40);
