// Writes the changelogs for `changeset version`: a headline for each change, without commit hashes.
import type { ChangelogFunctions } from '@changesets/types'
import { splitSummary } from './headline.ts'

const changelog: ChangelogFunctions = {
  getReleaseLine({ summary }) {
    const { headline, rest } = splitSummary(summary)
    return rest === '' ? `- ${headline}` : `- **${headline}**\n\n${indented(rest)}`
  },

  getDependencyReleaseLine(_changesets, dependencies) {
    if (dependencies.length === 0) return ''
    return `- Depends on ${dependencies.map(({ name, newVersion }) => `\`${name}\` ${newVersion}`).join(', ')}.`
  },
}

export default changelog

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
