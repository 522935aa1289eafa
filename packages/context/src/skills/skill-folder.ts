import { visibleName } from '../content/visible-name.ts'
import { isRefusal, type Refusal, refusalSentence } from '../workspace/refusal.ts'
import { Workspace, type WorkspaceFile } from '../workspace/workspace.ts'
import { isSkillName, parseSkillFile, SKILL_FILE } from './skill-file.ts'

interface Skill {
  readonly name: string
  readonly description: string
}

/** A skill or file that cannot be used, and the reason. */
export interface Unusable {
  /** Relative to the root. */
  readonly path: string
  readonly sentence: string
  readonly reason: string
}

export interface SkillListing {
  readonly skills: readonly Skill[]
  readonly unusable: readonly Unusable[]
  /** Whether the list may be incomplete. */
  readonly hasMore: boolean
}

export interface SkillText {
  readonly text: string
  readonly file: WorkspaceFile
}

/** The maximum number of folder names to check. */
const MAX_FOLDERS = 1_000
const MAX_LISTED_FILES = 50
const NO_SKILL = 'There is no such skill.'
const NO_NAME = "Its folder's name is no name of a skill: use up to 64 of a to z, digits and single hyphens."

/** Reads skills from a folder with one subfolder per skill. */
export class SkillFolder {
  readonly #workspace: Workspace

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: { root: string; maxFileBytes: number | undefined }) {
    this.#workspace = new Workspace(options)
  }

  /** The skills, sorted by name. A folder without a `SKILL.md` is skipped without a note. */
  async list({
    isAllowed,
    maxSkills,
    abortSignal,
  }: {
    isAllowed: (name: string) => boolean
    maxSkills: number
    abortSignal: AbortSignal
  }): Promise<SkillListing> {
    const folder = await this.#workspace.list('.', { maxEntries: MAX_FOLDERS, maxDepth: 1, abortSignal })
    if (isRefusal(folder)) return { skills: [], unusable: [unusable('.', folder)], hasMore: false }
    const skills: Skill[] = []
    const broken: Unusable[] = []
    for (const { name, kind } of folder.entries) {
      abortSignal.throwIfAborted()
      if (kind !== 'folder' || (isSkillName(name) && !isAllowed(name))) continue
      const skill = await this.#skill(name)
      if (skill === undefined) continue
      if (skills.length + broken.length === maxSkills) return { skills, unusable: broken, hasMore: true }
      if ('sentence' in skill) broken.push(skill)
      else skills.push({ name, description: skill.description })
    }
    return { skills, unusable: broken, hasMore: folder.omitted > 0 }
  }

  /** The text of a file of a skill. For `SKILL.md`, the text after the front matter. */
  async read(name: string, path: string): Promise<SkillText | Unusable> {
    const skillFile = isSkillName(name) ? await this.#file(name, SKILL_FILE) : undefined
    if (skillFile === undefined || (isRefusal(skillFile) && skillFile.refused === 'missing'))
      return { path: name, sentence: NO_SKILL, reason: 'missing' }
    const file = path === SKILL_FILE ? skillFile : await this.#file(name, path)
    if (isRefusal(file)) return unusable(`${name}/${path}`, file)
    if (path !== SKILL_FILE) return { text: file.text, file }
    const skill = await parseSkillFile(file.text, name)
    if (typeof skill === 'string')
      return { path: `${name}/${path}`, sentence: skill, reason: 'invalid-skill' }
    return { text: skill.body, file }
  }

  /** The paths of the other files of a skill, up to a limit. */
  async otherFiles(name: string): Promise<string[]> {
    const folder = await this.#workspace.list(name, { maxEntries: MAX_LISTED_FILES, maxDepth: 3 })
    if (isRefusal(folder)) return []
    return pathsOf(folder.entries)
      .filter((path) => path !== SKILL_FILE)
      .map(visibleName)
  }

  async #skill(name: string): Promise<{ description: string } | Unusable | undefined> {
    const path = `${name}/${SKILL_FILE}`
    const file = await this.#file(name, SKILL_FILE)
    if (isRefusal(file)) return file.refused === 'missing' ? undefined : unusable(path, file)
    const skill = isSkillName(name) ? await parseSkillFile(file.text, name) : NO_NAME
    return typeof skill === 'string' ? { path, sentence: skill, reason: 'invalid-skill' } : skill
  }

  /** Reads a file in the skill's own folder. A link to another skill is refused. */
  async #file(name: string, path: string): Promise<WorkspaceFile | Refusal> {
    const file = await this.#workspace.read(`${name}/${path}`)
    return isRefusal(file) || file.path.startsWith(`${name}/`) ? file : { refused: 'outside' }
  }
}

function unusable(path: string, { refused }: Refusal): Unusable {
  return { path, sentence: refusalSentence(refused), reason: refused }
}

interface Entry {
  readonly name: string
  readonly kind: string
  readonly folder?: { readonly entries: readonly Entry[] }
}

function pathsOf(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ name, kind, folder }) => {
    if (kind === 'file') return [name]
    return folder ? pathsOf(folder.entries).map((path) => `${name}/${path}`) : []
  })
}
