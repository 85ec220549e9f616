/** The client of SSH, which is loaded at its first use: few processes reach servers by SFTP. */

export const ssh = async () => (await import('ssh2')).default;
