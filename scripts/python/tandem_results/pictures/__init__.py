"""Pictures for a paper: one file each, a function that draws and what its command takes."""
