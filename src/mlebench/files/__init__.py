"""Files: tables, archives, folders and records on disk; what the kit's verbs and the stages are built on."""
