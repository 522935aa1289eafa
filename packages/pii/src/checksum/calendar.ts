/** Whether there is such a day in the Gregorian calendar. Months and days count from 1. */
export function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false
  return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
}

/** Whether six digits, `yymmdd`, are a day of the nineteen- or two-thousands. */
export function isShortDay(yymmdd: string): boolean {
  const [year, month, day] = [0, 2, 4].map((at) => Number(yymmdd.slice(at, at + 2))) as [
    number,
    number,
    number,
  ]
  return isDay(1900 + year, month, day) || isDay(2000 + year, month, day)
}
