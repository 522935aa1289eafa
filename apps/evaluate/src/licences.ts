/** A row of a file from others. */
export interface LicensedRow {
  /** The license of the text, such as `MIT` or `CC-BY-4.0`. */
  licence: string
}

/** @throws Error for a row without a license */
export function requireLicences(file: string, rows: readonly Partial<LicensedRow>[]): void {
  const index = rows.findIndex(({ licence }) => typeof licence !== 'string' || licence.trim() === '')
  if (index < 0) return
  throw new Error(
    `Row ${index + 1} of '${file}' has no license. Add the field 'licence', such as "MIT", or remove the row.`,
  )
}
