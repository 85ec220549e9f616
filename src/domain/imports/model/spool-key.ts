/** Key of a job's normalised copy in the file store. It is kept as long as its job, whose result is read from it. */
export function spoolKey(jobId: string): string {
  return `spools/${jobId}`;
}
