/**
 * Whether a caret range such as `^0.2.0` admits a version, as npm, pnpm and yarn define it.
 *
 * @throws Error if the range or the version has another form, such as a prerelease
 */
export function admits(range: string, version: string): boolean {
  const [floor, wanted] = [parse(range, /^\^(\d+)\.(\d+)\.(\d+)$/), parse(version, /^(\d+)\.(\d+)\.(\d+)$/)]
  const fixed = floor.findIndex((part) => part > 0)
  for (const [index, part] of floor.entries()) {
    const other = wanted[index] as number
    if (other !== part) return other > part && fixed !== -1 && index > fixed
  }
  return true
}

function parse(text: string, form: RegExp): number[] {
  const parts = form.exec(text)?.slice(1).map(Number)
  if (!parts)
    throw new Error(
      `'${text}' is not a ${form.source.startsWith('^\\^') ? 'caret range such as ^0.2.0' : 'version such as 0.2.0'}.`,
    )
  return parts
}
