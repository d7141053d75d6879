#!/usr/bin/env node
import * as modules from 'node:module';

// from Node 22 on, compiled code is cached: most of a start is reading the program. In the user's own folder: in a shared one
// another user could plant code. Only what is loaded after this is cached, so the program itself comes after it
const { HOME: home = '', XDG_CACHE_HOME: caches = home && `${home}/.cache` } = process.env;
if (caches)
  (modules as { enableCompileCache?: (folder: string) => unknown }).enableCompileCache?.(
    `${caches}/fairlead/compiled`,
  );

await import('./command-line.ts');
