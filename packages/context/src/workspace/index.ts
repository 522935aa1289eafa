export type { FolderEntry, FolderListing, ListOptions } from './folder-listing.ts'
export { isRefusal, type Refusal, type RefusalReason, refusalSentence } from './refusal.ts'
export { Workspace, type WorkspaceFile, type WorkspaceOptions } from './workspace.ts'
