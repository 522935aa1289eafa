import { MillraceError } from '@millrace/core'

const SLOT = /\{\{\s*([\p{L}_][\p{L}\p{N}_]*)\s*\}\}/gu

/**
 * The names of a template's slots, without duplicates: `city` in `Lives in {{city}}`.
 *
 * @throws MillraceError `CONFIG_INVALID` if the template has no slots
 */
export function slotsOf(template: string): string[] {
  const slots = new Set([...template.matchAll(SLOT)].map(([, name]) => name as string))
  if (slots.size > 0) return [...slots]
  throw new MillraceError(
    'CONFIG_INVALID',
    'workingMemory.template has no slot. Add one for each fact, such as "City: {{city}}".',
  )
}

/** Fills the slots of a template. Unknown facts are left empty. */
export function renderTemplate(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(SLOT, (_, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : '',
  )
}
