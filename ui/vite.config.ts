import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Not the rooms in `src`, wherever the project lies: its folder may be called `ui` as well. */
const pages = fileURLToPath(new URL('./', import.meta.url));

export default defineConfig({
  base: './', // the server writes the path at which browsers see the page before these
  plugins: [react()],
  resolve: { alias: { zod: fileURLToPath(new URL('./unchecked-schemas.ts', import.meta.url)) } },
  build: {
    outDir: '../dist/ui',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'], // light-dark() reaches the browser as written
    assetsInlineLimit: 0, // the content policy allows fonts from our own address only
    modulePreload: { polyfill: false },
    // a room does nothing when it is imported, and the YAML parser is not used here: what is unused can go
    rolldownOptions: {
      // an import that does not exist is a page that does not start
      onLog: (level, log, report) => {
        if (log.code === 'IMPORT_IS_UNDEFINED') throw new Error(log.message);
        report(level, log);
      },
      treeshake: { moduleSideEffects: (id) => id.startsWith(pages) || !/\/src\/|\/js-yaml\//.test(id) },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
});
