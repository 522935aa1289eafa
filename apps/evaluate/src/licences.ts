/** A row of a file that others have written. */
export interface LicensedRow {
  /** Under which the text may be used, such as `MIT` or `CC-BY-4.0`. */
  licence: string
}

/** @throws Error for a row that does not say its licence. */
export function requireLicences(file: string, rows: readonly Partial<LicensedRow>[]): void {
  const index = rows.findIndex(({ licence }) => typeof licence !== 'string' || licence.trim() === '')
  if (index < 0) return
  throw new Error(
    `Row ${index + 1} of '${file}' has no licence. Give each row a field 'licence', such as "MIT", or leave the row out.`,
  )
}
