/**
 * The discovery types of meta.v1: clients read them, the API server does not store them. For the format see
 * notation.ts.
 */
export const discovery = `# meta.v1
APIGroup kind:s? apiVersion:s? name:s! versions:[GroupVersionForDiscovery! preferredVersion:GroupVersionForDiscovery? serverAddressByClientCIDRs:[ServerAddressByClientCIDR?
APIGroupList kind:s? apiVersion:s? groups:[APIGroup!
APIResource name:s! singularName:s! namespaced:b! group:s? version:s? kind:s! verbs:[s! shortNames:[s? categories:[s? storageVersionHash:s?
APIResourceList kind:s? apiVersion:s? groupVersion:s! resources:[APIResource!
APIVersions kind:s? apiVersion:s? versions:[s! serverAddressByClientCIDRs:[ServerAddressByClientCIDR!
GroupVersionForDiscovery groupVersion:s! version:s!
ServerAddressByClientCIDR clientCIDR:s! serverAddress:s!
WatchEvent type:s! object:R!
`;
