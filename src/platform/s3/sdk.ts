/** The SDK of AWS, which is loaded at its first use. */

/** The SDK takes a while to load, and processes that store files in a folder do without it. */
export const sdk = () => import('@aws-sdk/client-s3');
