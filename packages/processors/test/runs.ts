/** The number of examples of a property. */
export function runsOf(usual: number, thorough: number): number {
  return process.env.MILLRACE_THOROUGH === '1' ? thorough : usual
}
