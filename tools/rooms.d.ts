export declare const floors: Readonly<Record<string, string>>;
export declare const rooms: Readonly<Record<string, readonly string[]>>;
export declare const pure: readonly string[];
export declare const packages: Readonly<Record<string, readonly string[]>>;
export declare const uiRooms: Readonly<Record<string, readonly string[]>>;
export declare const uiPackages: readonly string[];
