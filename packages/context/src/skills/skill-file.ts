import { isRecord } from '@millrace/core'

/** The file that defines a skill. It begins with front matter. */
export const SKILL_FILE = 'SKILL.md'

/** Rules for names and lengths of the Agent Skills format: https://agentskills.io/specification */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const MAX_NAME_LENGTH = 64
const MAX_DESCRIPTION_LENGTH = 1_024
/** The maximum length of the front matter that is parsed. */
const MAX_FRONT_MATTER_LENGTH = 16_384

export interface SkillFile {
  readonly description: string
  /** The text after the front matter. */
  readonly body: string
}

/** Whether a name is a valid skill name, and so the name of a single folder. */
export function isSkillName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= MAX_NAME_LENGTH && NAME.test(name)
}

/** Parses a `SKILL.md`. Returns its content, or a sentence that says what is wrong with it. */
export async function parseSkillFile(text: string, name: string): Promise<SkillFile | string> {
  const end = /\n---(?:\r?\n|$)/.exec(text.slice(0, MAX_FRONT_MATTER_LENGTH))
  if (!text.startsWith('---') || !end)
    return `It does not begin with front matter of at most ${MAX_FRONT_MATTER_LENGTH} characters between lines of ---.`
  // Loaded on first use, because an agent may have no skills.
  const [{ VFile }, { matter }] = await Promise.all([import('vfile'), import('vfile-matter')])
  const file = new VFile(text)
  try {
    // Every scalar is parsed as text, so that `description: yes` is valid.
    matter(file, { strip: true, yaml: { schema: 'failsafe', logLevel: 'error' } })
  } catch {
    return 'Its front matter is no YAML.'
  }
  const given = isRecord(file.data.matter) ? file.data.matter : {}
  if (given.name !== name) return `The name in its front matter is not that of its folder, '${name}'.`
  const description = typeof given.description === 'string' ? oneLine(given.description) : ''
  if (description === '') return 'Its front matter has no description.'
  if (description.length > MAX_DESCRIPTION_LENGTH)
    return `Its description has more than ${MAX_DESCRIPTION_LENGTH} characters.`
  return { description, body: String(file).trim() }
}

/** Removes line breaks and invisible characters. */
function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim()
}
