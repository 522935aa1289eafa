import { numberAt } from './digits.ts'

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

/** Whether the day exists in the Gregorian calendar. Months and days count from 1. */
export function isDay(year: number, month: number, day: number): boolean {
  const days = DAYS[month - 1]
  if (days === undefined || !(day >= 1)) return false
  return day <= (month === 2 && isLeapYear(year) ? 29 : days)
}

/** Whether six digits, `yymmdd`, are a day of the 20th or the 21st century. */
export function isShortDay(yymmdd: string): boolean {
  const [year, month, day] = [numberAt(yymmdd, 0, 2), numberAt(yymmdd, 2, 4), numberAt(yymmdd, 4, 6)]
  return isDay(1900 + year, month, day) || isDay(2000 + year, month, day)
}
