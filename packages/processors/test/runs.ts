/** How many examples a property gets: few where the same tests run for every change of a line. */
export function runsOf(usual: number, thorough: number): number {
  if (process.env.MILLRACE_MUTATION === '1') return 3
  return process.env.MILLRACE_THOROUGH === '1' ? thorough : usual
}
