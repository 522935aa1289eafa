import { isRecord } from '@millrace/core'

/** The file of a skill that begins with its front matter. */
export const SKILL_FILE = 'SKILL.md'

/** Names and lengths are those of the Agent Skills format: https://agentskills.io/specification */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const LONGEST_NAME = 64
const LONGEST_DESCRIPTION = 1_024
/** Longer front matter is not parsed. */
const LONGEST_FRONT_MATTER = 16_384

export interface SkillFile {
  readonly description: string
  /** The text behind the front matter. */
  readonly body: string
}

/** Whether a name is one of a skill, and so of a single folder. */
export function isSkillName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= LONGEST_NAME && NAME.test(name)
}

/** Reads the text of a `SKILL.md`: what it has, or what is wrong with it, as a sentence. */
export async function parseSkillFile(text: string, name: string): Promise<SkillFile | string> {
  const end = /\n---(?:\r?\n|$)/.exec(text.slice(0, LONGEST_FRONT_MATTER))
  if (!text.startsWith('---') || !end)
    return `It does not begin with front matter of at most ${LONGEST_FRONT_MATTER} characters between lines of ---.`
  // Loaded when needed: agents may find no skills.
  const [{ VFile }, { matter }] = await Promise.all([import('vfile'), import('vfile-matter')])
  const file = new VFile(text)
  try {
    // Every scalar is a text, so that `description: yes` is one.
    matter(file, { strip: true, yaml: { schema: 'failsafe', logLevel: 'error' } })
  } catch {
    return 'Its front matter is no YAML.'
  }
  const given = isRecord(file.data.matter) ? file.data.matter : {}
  if (given.name !== name) return `The name in its front matter is not that of its folder, '${name}'.`
  const description = typeof given.description === 'string' ? oneLine(given.description) : ''
  if (description === '') return 'Its front matter has no description.'
  if (description.length > LONGEST_DESCRIPTION)
    return `Its description has more than ${LONGEST_DESCRIPTION} characters.`
  return { description, body: String(file).trim() }
}

/** Without line breaks, and without characters that do not show. */
function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim()
}
