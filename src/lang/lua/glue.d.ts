// The package's own declarations of this file need types that are not installed.
declare module 'lua-wasm-bindings/dist/glue/glue-lua-5.2.4.js' {
  type Memory = { readonly buffer: ArrayBufferLike; grow(pages: number): number };
  export type Glue = {
    /** The raw exports of the WebAssembly module, the memory among them. */
    readonly asm: Readonly<Record<string, unknown>>;
    _malloc(bytes: number): number;
    _luaL_newstate(): number;
    _luaL_openlibs(state: number): void;
    _luaL_loadstring(state: number, text: number): number;
    _lua_close(state: number): void;
    _lua_pcallk(
      state: number,
      args: number,
      results: number,
      handler: number,
      ctx: number,
      continuation: number,
    ): number;
    _lua_pushvalue(state: number, index: number): void;
    _lua_settop(state: number, index: number): void;
    _lua_tolstring(state: number, index: number, length: number): number;
  };
  const glue: (options: { print(text: string): void; printErr(text: string): void }) => Glue;
  // biome-ignore lint/style/noDefaultExport: it is not ours
  export default glue;
}
