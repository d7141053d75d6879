import { setMaxListeners } from 'node:events';

// as in the program itself: one signal stops everything, so very many listen to it
setMaxListeners(0);
